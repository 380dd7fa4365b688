// SPDX-License-Identifier: Apache-2.0
package examples.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.Durability;
import io.burstlog.Segments;
import io.burstlog.StreamConfig;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class OrdersToTableIT {
    private static final int ROUNDS = 3;
    private static final int ORDERS = 2_000;

    @Test
    @Timeout(120)
    void eachRecordIsInTheTableOnceWheneverItIsKilled(@TempDir Path directory) throws Exception {
        String segments = directory.resolve("orders.segments").toString();
        String database = "jdbc:sqlite:" + directory.resolve("orders.db") + "?busy_timeout=60000";
        int written = 0;
        try (BurstLog log = BurstLog.open(BurstConfig.builder()
                        .ring(directory.resolve("orders.ring").toString())
                        .ringBytes(8 << 20)
                        .durability(Durability.PROCESS)
                        .build());
                BurstStream orders = log.stream(
                        "orders",
                        StreamConfig.builder()
                                .fileName(directory.resolve("orders.log").toString())
                                .segments(Segments.in(segments))
                                .build())) {
            for (int round = 1; round <= ROUNDS; round++) {
                Process sink = start(segments, database);
                int before = written;
                while (written < round * ORDERS) {
                    orders.enqueue(("order " + ++written).getBytes(UTF_8));
                }
                int enough = round == ROUNDS
                        ? written
                        : before + ThreadLocalRandom.current().nextInt(1, ORDERS);
                while (count(database) < enough) {
                    assertThat(sink.isAlive()).isTrue();
                    Thread.sleep(5);
                }
                sink.toHandle().destroyForcibly();
                sink.waitFor();
            }
        }
        List<String> expected = IntStream.rangeClosed(1, written)
                .mapToObj(order -> "order " + order)
                .toList();
        assertThat(all(database)).isEqualTo(expected);
    }

    private static Process start(String segments, String database) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
        String nativeAccess = System.getProperty("native.access", "");
        if (!nativeAccess.isEmpty()) {
            command.add(nativeAccess);
        }
        command.addAll(List.of(
                "-cp", System.getProperty("java.class.path"), OrdersToTable.class.getName(), segments, database));
        return new ProcessBuilder(command).inheritIO().start();
    }

    private static long count(String database) {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select count(*) from orders")) {
            return row.getLong(1);
        } catch (SQLException noTableYet) {
            return 0;
        }
    }

    private static List<String> all(String database) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select text from orders order by rowid")) {
            while (row.next()) {
                texts.add(row.getString(1));
            }
        }
        return texts;
    }
}

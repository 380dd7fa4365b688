// SPDX-License-Identifier: Apache-2.0
package examples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The application as Quarkus packages it, under Quarkus's own log manager and class loaders. */
@Timeout(300)
class DeskSurvivesKillIT {
    private static final String NO_END = "1000000000";
    private static final int CONFIRMED = 50;
    private static final int ORDERS_OF_DAY_2 = 10;

    // The temporary directory may be memory, which no ring with durability="power" accepts.
    private final Path work = Path.of("target", "desk-survives-kill").toAbsolutePath();

    @Test
    void eachConfirmedOrderIsInTheLogFileOnceAfterAKill() throws Exception {
        deleteTree();
        Files.createDirectories(work);
        int confirmed = killAfter(CONFIRMED);
        Process next = start("" + ORDERS_OF_DAY_2);
        next.getInputStream().readAllBytes();
        assertThat(next.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(next.exitValue()).as("exit code, see %s", work).isZero();
        List<String> lines = Files.readAllLines(work.resolve("orders.log"));
        int ofDay1 = lines.size() - ORDERS_OF_DAY_2;
        assertThat(ofDay1).isBetween(confirmed, confirmed + 1);
        assertThat(lines.subList(0, ofDay1)).isEqualTo(orders(ofDay1));
        assertThat(lines.subList(ofDay1, lines.size())).isEqualTo(orders(ORDERS_OF_DAY_2));
    }

    private static List<String> orders(int last) {
        return IntStream.rangeClosed(1, last)
                .mapToObj(number -> "order " + number)
                .toList();
    }

    /** Returns the number of orders that were confirmed before the kill. */
    private int killAfter(int orders) throws Exception {
        Process killed = start(NO_END);
        int confirmed = 0;
        try (BufferedReader answers = killed.inputReader()) {
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                confirmed++;
                assertThat(line).isEqualTo("" + confirmed);
                if (confirmed == orders) {
                    killed.toHandle().destroyForcibly();
                }
            }
        }
        killed.waitFor();
        assertThat(confirmed).as("confirmed before the kill, see %s", work).isGreaterThanOrEqualTo(orders);
        return confirmed;
    }

    private Process start(String orders) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        String nativeAccess = System.getProperty("native.access", "");
        if (!nativeAccess.isEmpty()) {
            command.add(nativeAccess);
        }
        command.addAll(List.of(
                "-jar",
                Path.of("target/quarkus-app/quarkus-run.jar").toAbsolutePath().toString(),
                orders));
        return new ProcessBuilder(command)
                .directory(work.toFile())
                .redirectError(
                        ProcessBuilder.Redirect.appendTo(work.resolve("errors").toFile()))
                .start();
    }

    private void deleteTree() throws IOException {
        if (Files.exists(work)) {
            try (Stream<Path> tree = Files.walk(work)) {
                for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }
}

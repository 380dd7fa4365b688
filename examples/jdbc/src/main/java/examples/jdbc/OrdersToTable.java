// SPDX-License-Identifier: Apache-2.0
package examples.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstConsumer;
import io.burstlog.ConsumedRecords;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * Puts each record of a folder of segments into a table, once, whatever kills the program: its position is in the same
 * transaction as the records.
 */
public final class OrdersToTable {
    private OrdersToTable() {}

    /**
     * Arguments: the folder of segments, and the database: {@code jdbc:sqlite:orders.db}. It runs until it is killed.
     */
    public static void main(String[] arguments) throws SQLException {
        // doc: sink
        try (BurstConsumer consumer = BurstConsumer.open(arguments[0], "to-the-table");
                Connection database = DriverManager.getConnection(arguments[1])) {
            prepare(database);
            consumer.seek(numberIn(database, consumer.folderId()) + 1);
            while (true) {
                ConsumedRecords records = consumer.poll(1 << 20, Duration.ofSeconds(1));
                if (!records.isEmpty()) {
                    insert(database, records);
                    note(database, consumer.folderId(), consumer.position() - 1);
                    database.commit();
                    consumer.ack(); // tells the log which segments it may delete
                }
            }
        }
        // end
    }

    private static void prepare(Connection database) throws SQLException {
        try (Statement statement = database.createStatement()) {
            statement.execute("create table if not exists orders (text varchar(200) not null)");
            statement.execute("create table if not exists position (folder char(32) primary key, number bigint)");
        }
        database.setAutoCommit(false);
    }

    // doc: transaction
    private static long numberIn(Connection database, String folder) throws SQLException {
        try (PreparedStatement select = database.prepareStatement("select number from position where folder = ?")) {
            select.setString(1, folder);
            ResultSet row = select.executeQuery();
            return row.next() ? row.getLong(1) : 0;
        }
    }

    private static void insert(Connection database, ConsumedRecords records) throws SQLException {
        try (PreparedStatement insert = database.prepareStatement("insert into orders values (?)")) {
            while (records.next()) {
                if (records.kind() == ConsumedRecords.Kind.RECORD) {
                    insert.setString(1, UTF_8.decode(records.data()).toString());
                    insert.addBatch();
                }
            }
            insert.executeBatch();
        }
    }

    private static void note(Connection database, String folder, long number) throws SQLException {
        try (PreparedStatement note = database.prepareStatement("replace into position values (?, ?)")) {
            note.setString(1, folder);
            note.setLong(2, number);
            note.executeUpdate();
        }
    }
    // end
}

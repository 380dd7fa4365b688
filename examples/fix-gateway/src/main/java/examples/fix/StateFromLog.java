// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstReader;
import io.burstlog.ReadRecords;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The gateway's state, rebuilt from its log: how each order stands, and up to which execution FIX has the reports. The
 * log is the only memory of it.
 */
final class StateFromLog {
    private static final long LONGEST_NANOS = 30_000_000_000L;
    private static final Pattern REPORT = Pattern.compile("\\S+ outgoing \\[.*\\|35=8\\|.*\\|17=E-(\\d+)\\|.*\\s*");

    private final OrderBook book = new OrderBook();
    private final long begin = System.nanoTime();
    private long confirmed;
    private long fromFiles;
    private long fromRing;
    private long nanos;

    private StateFromLog() {}

    /**
     * Reads the log up to the record that ends with a text: archives, log file and ring.
     *
     * @param last a text that the caller logged itself, as the newest record
     * @throws IOException if records are missing, or if that text does not come
     * @throws IllegalStateException if an execution is not what can follow those before it
     */
    static StateFromLog read(Path ring, Path log, String last) throws IOException {
        StateFromLog state = new StateFromLog();
        BurstReader.Options options =
                BurstReader.of(ring.toString()).stream(log.toAbsolutePath().toString());
        try (BurstReader reader = options.fromOldest().open()) {
            while (!state.readUntil(last, reader.poll(1 << 18, Duration.ofMillis(100)))) {
                if (System.nanoTime() - state.begin > LONGEST_NANOS) {
                    throw new IOException(ring + ": the record \"" + last + "\" did not arrive within "
                            + LONGEST_NANOS / 1_000_000_000 + " s; does log4j2.xml write " + log + " by this ring?");
                }
            }
        }
        state.nanos = System.nanoTime() - state.begin;
        return state;
    }

    /** Reads a log that nobody has open, to its end. */
    static StateFromLog readAll(Path ring) throws IOException {
        StateFromLog state = new StateFromLog();
        try (BurstReader reader = BurstReader.of(ring.toString()).fromOldest().open()) {
            ReadRecords records;
            do {
                records = reader.poll(1 << 18, Duration.ZERO);
                state.readUntil(null, records);
            } while (!records.isEmpty());
        }
        state.nanos = System.nanoTime() - state.begin;
        return state;
    }

    // doc: state-from-log
    /** {@return whether the last one was among these records} */
    private boolean readUntil(String last, ReadRecords records) throws IOException {
        while (records.next()) {
            switch (records.kind()) {
                case RECORD, LINE -> {
                    String line = UTF_8.decode(records.data()).toString();
                    count(records.place());
                    if (last != null && line.stripTrailing().endsWith(last)) {
                        return true;
                    }
                    Execution.parse(line).ifPresent(book::apply);
                    noteReport(line);
                }
                case LOST, MISSED ->
                    throw new IOException(
                            "the log has lost " + records.count() + " records: the state cannot be known");
                case ROLL -> {}
            }
        }
        return false;
    }
    // end

    private void count(ReadRecords.Place place) {
        if (place == ReadRecords.Place.FILE) {
            fromFiles++;
        } else {
            fromRing++;
        }
    }

    /** FIX keeps a report before it logs it as sent, and brings it to the counterparty, whatever happens then. */
    private void noteReport(String line) {
        Matcher report = REPORT.matcher(line);
        if (report.matches()) {
            confirmed = Math.max(confirmed, Long.parseLong(report.group(1)));
        }
    }

    OrderBook book() {
        return book;
    }

    /** The number of the last execution that FIX has as a report; all before it are reported, too. */
    long confirmed() {
        return confirmed;
    }

    String summary() {
        return String.format(
                "%,d records read in %.2f s, %,d from files and %,d from the ring: %,d orders, %,d executions, %,d not yet"
                        + " reported",
                fromFiles + fromRing,
                nanos / 1e9,
                fromFiles,
                fromRing,
                book.orders().size(),
                book.executions(),
                book.executions() - confirmed);
    }
}

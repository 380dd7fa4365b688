// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.seen;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.BurstReader;
import io.burstlog.Durability;
import io.burstlog.Io;
import io.burstlog.ReadRecords;
import io.burstlog.RecordBuffer;
import io.burstlog.bench.subject.Media;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/** A log with a window, and a reader that waits in one of its ways. */
final class BurstPassing implements Passing {

    private static final int POLLED_BYTES = 1 << 16;
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration WAIT = Duration.ofMillis(100);

    private final String wait;
    private final Media.Ring ring;
    private final Path folder;

    BurstPassing(String wait, Media.Ring ring, Path folder) {
        this.wait = wait;
        this.ring = ring;
        this.folder = folder;
    }

    @Override
    public Writer writer() {
        BurstLog log = BurstLog.open(BurstConfig.builder()
                .ring(ring.path().toString())
                .fileName(folder.resolve("seen.log").toString())
                .durability(Durability.PROCESS)
                .io(Io.valueOf(ring.io().toUpperCase(Locale.ROOT)))
                .window(folder.toString())
                .build());
        return new Writer() {
            private RecordBuffer record;

            @Override
            public void write(ByteBuffer message) {
                int length = message.remaining();
                if (record == null) {
                    record = RecordBuffer.allocate(length, length);
                }
                record.clear();
                record.ensureRemaining(length).put(message);
                log.append(record, 0);
            }

            @Override
            public void settle() {
                log.awaitDrained(LONG);
            }

            @Override
            public void close() {
                log.close();
            }
        };
    }

    @Override
    public Reader reader() {
        BurstReader reader = BurstReader.of(ring.path().toString())
                .window(folder.toString())
                .wait(BurstReader.Wait.valueOf(wait.toUpperCase(Locale.ROOT)))
                .fromLast(0)
                .open();
        return new Reader() {
            @Override
            public void goToEnd() {
                reader.seekLast(0);
            }

            @Override
            public void poll(Seen seen) {
                ReadRecords records = reader.poll(POLLED_BYTES, WAIT);
                while (records.next()) {
                    seen.at(records.data().getInt());
                }
            }

            @Override
            public void close() {
                reader.close();
            }
        };
    }
}

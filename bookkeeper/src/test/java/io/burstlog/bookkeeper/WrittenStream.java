// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstConfig;
import io.burstlog.BurstConsumer;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.Durability;
import io.burstlog.RecordBuffer;
import io.burstlog.Segments;
import io.burstlog.StreamConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A log with a stream whose records, "record 1" and so on, go to a folder of segments. */
final class WrittenStream implements AutoCloseable {

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

    private final Path folder;
    private final BurstLog log;
    private final BurstStream stream;
    private final RecordBuffer record = RecordBuffer.allocate(64, 64);
    private long written;

    WrittenStream(Path directory) throws IOException {
        Files.createDirectories(directory);
        folder = directory.resolve("orders.segments");
        log = BurstLog.open(BurstConfig.builder()
                .ring(directory.resolve("orders.ring").toString())
                .ringBytes(8 << 20)
                .durability(Durability.PROCESS)
                .build());
        stream = log.stream(
                "orders",
                StreamConfig.builder()
                        .fileName(directory.resolve("orders.log").toString())
                        .segments(Segments.in(folder.toString()).bytes(1 << 17))
                        .build());
    }

    Path folder() {
        return folder;
    }

    String folderId() {
        try (BurstConsumer consumer = BurstConsumer.open(folder.toString(), "asks")) {
            return consumer.folderId();
        }
    }

    long written() {
        return written;
    }

    void write(int count) {
        for (int i = 0; i < count; i++) {
            record.clear().put(ByteBuffer.wrap(("record " + (written + 1)).getBytes(UTF_8)));
            stream.enqueue(record, System.currentTimeMillis() * 1_000_000);
            written++;
        }
        assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
    }

    /** Waits until the copier says that all records are copied. */
    void awaitCopied(Copier copier) throws InterruptedException {
        long begin = System.nanoTime();
        while (copier.stats().copiedNumber() < written) {
            assertThat(copier.failure()).isNull();
            assertThat(System.nanoTime() - begin).as("%s", copier.stats()).isLessThan(LONG_ENOUGH.toNanos());
            Thread.sleep(5);
        }
    }

    @Override
    public void close() {
        stream.close();
        log.close();
    }
}

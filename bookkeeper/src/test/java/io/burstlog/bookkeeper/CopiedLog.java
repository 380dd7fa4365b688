// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstConfig;
import io.burstlog.BurstEvent;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import io.burstlog.RecordBuffer;
import io.burstlog.copy.BurstCopier;
import io.burstlog.copy.CopyPlace;
import io.burstlog.copy.CopySettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/** A log whose ring has a copy in BookKeeper. */
final class CopiedLog implements AutoCloseable {

    static final Duration LONG_ENOUGH = Duration.ofSeconds(90);

    private final BurstLog log;
    private final BurstCopier copier;

    CopiedLog(Path directory, Map<String, String> properties, BurstCopier.Away away, Consumer<BurstEvent> listener)
            throws IOException {
        this(directory, properties, away, listener, 0);
    }

    /** @param backlog so many records are appended before the copier begins */
    CopiedLog(
            Path directory,
            Map<String, String> properties,
            BurstCopier.Away away,
            Consumer<BurstEvent> listener,
            long backlog)
            throws IOException {
        Files.createDirectories(directory);
        log = BurstLog.open(BurstConfig.builder()
                .ring(directory.resolve("orders.ring").toString())
                .ringBytes(8 << 20)
                .fileName(file(directory).toString())
                .durability(Durability.PROCESS)
                .copy("bookkeeper")
                .listener(listener)
                .build());
        append(1, backlog);
        copier = BurstCopier.start(
                log,
                CopySettings.builder()
                        .store(() -> new BookKeeperStore(log.ringId(), properties))
                        .away(away)
                        .atLeast(CopyPlace.parse("disk of 2"))
                        .listener(listener)
                        .build());
    }

    static Path file(Path directory) {
        return directory.resolve("orders.log");
    }

    BurstLog log() {
        return log;
    }

    BurstCopier copier() {
        return copier;
    }

    /** {@return why the copier has ended by itself; null if it has not} */
    String failure() {
        return copier.stats().state() == BurstCopier.State.FAILED
                ? copier.failure().orElseThrow().getMessage()
                : null;
    }

    String ringId() {
        return log.ringId();
    }

    /** Appends a line from the calling thread. {@return its sequence} */
    long append(String line) {
        byte[] bytes = (line + "\n").getBytes(UTF_8);
        RecordBuffer record = RecordBuffer.allocate(bytes.length, bytes.length);
        return log.append(record.put(ByteBuffer.wrap(bytes)), System.currentTimeMillis() * 1_000_000);
    }

    /** Appends "record FIRST" to "record LAST", one in a line. {@return the sequence of the last} */
    long append(long first, long last) {
        long sequence = 0;
        for (long i = first; i <= last; i++) {
            sequence = append("record " + i);
        }
        return sequence;
    }

    boolean awaitCopied(long sequence) {
        return log.awaitCopied(sequence, LONG_ENOUGH);
    }

    @Override
    public void close() {
        log.close();
        copier.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstConfig;
import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import io.burstlog.copy.BurstCopier.Away;
import io.burstlog.copy.BurstCopier.State;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/** A ring in a file, a copy of it in memory, and a copier. */
final class CopyRig implements AutoCloseable {

    static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

    final List<String> events = new CopyOnWriteArrayList<>();
    final MemoryCopy servers;
    BurstLog log;
    BurstCopier copier;

    private final Path folder;
    private final CopySettings.Builder settings = CopySettings.builder();

    CopyRig(Path folder, MemoryCopy servers) {
        this.folder = folder;
        this.servers = servers;
        settings.store(servers::open).listener(this::hear);
    }

    private void hear(BurstEvent event) {
        events.add(event.severity() + " " + event.text());
    }

    CopySettings.Builder settings() {
        return settings;
    }

    CopyRig open() {
        return openLog().start();
    }

    CopyRig openLog() {
        log = BurstLog.open(BurstConfig.builder()
                .ring(folder.resolve("orders.ring").toString())
                .fileName(folder.resolve("orders.log").toString())
                .ringBytes(2 << 20)
                .durability(Durability.PROCESS)
                .copy("B")
                .listener(this::hear)
                .build());
        return this;
    }

    CopyRig start() {
        copier = BurstCopier.start(log, settings.build());
        return this;
    }

    CopyRig degrade() {
        settings.away(Away.DEGRADE);
        return this;
    }

    long append(String text) {
        return log.append((text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    static void until(BooleanSupplier condition) {
        long deadline = System.nanoTime() + LONG_ENOUGH.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    boolean isCopied(long sequence) {
        try {
            return log.awaitCopied(sequence, Duration.ofMillis(200));
        } catch (BurstException away) {
            assertThat(away.code()).isEqualTo(BurstException.Code.COPY_AWAY);
            return false;
        }
    }

    /** The records of which an event says that the copy lacks them. */
    List<Long> named() {
        Pattern range = Pattern.compile("records ([0-9]+) to ([0-9]+) are not in it");
        return events.stream()
                .map(range::matcher)
                .filter(Matcher::find)
                .flatMapToLong(
                        found -> LongStream.rangeClosed(Long.parseLong(found.group(1)), Long.parseLong(found.group(2))))
                .boxed()
                .toList();
    }

    void awaitState(State state) {
        until(() -> copier.stats().state() == state);
    }

    void awaitEvent(String part) {
        until(() -> events.stream().anyMatch(text -> text.contains(part)));
    }

    /** The sequences of the records that count in the copy. */
    List<Long> copied() {
        return CopiedSequences.of(servers.blocks());
    }

    @Override
    public void close() {
        log.close(Duration.ofSeconds(10));
        copier.close();
        assertThat(copier.stats().state()).isIn(State.CLOSED, State.FAILED);
    }
}

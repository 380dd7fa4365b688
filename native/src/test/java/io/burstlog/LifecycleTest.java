// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.LONG_ENOUGH;
import static io.burstlog.TempLog.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@EachBinding
@Timeout(60)
class LifecycleTest {

    private final Binding binding;
    private TempLog temp;

    LifecycleTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void createDirectory(@TempDir Path directory) {
        temp = new TempLog(directory, binding);
    }

    @Test
    void writingToAClosedLogSaysThatItIsClosed() {
        BurstLog log = temp.open();
        log.append(line("order"));
        log.close();
        List<Runnable> uses = List.of(
                () -> log.append(line("late")),
                () -> log.enqueue(line("late")),
                () -> log.offer(line("late")),
                () -> log.awaitDrained(LONG_ENOUGH));
        for (Runnable use : uses) {
            assertThatExceptionOfType(BurstException.class)
                    .isThrownBy(use::run)
                    .withMessageContaining("closed")
                    .extracting(BurstException::code)
                    .isEqualTo(BurstException.Code.CLOSED);
        }
    }

    @Test
    void closingAgainDoesNothing() {
        BurstLog log = temp.open();
        log.close();
        assertThatNoException().isThrownBy(log::close);
    }

    @Test
    void aClosedLogStillTellsItsLastFigures() {
        BurstLog log = temp.open();
        log.append(line("order"));
        log.close();
        BurstStats stats = log.stats();
        assertThat(stats.state()).isEqualTo(BurstStats.State.CLOSED);
        assertThat(stats.acceptedSequence()).isEqualTo(1);
        assertThat(stats.drainedSequence()).isEqualTo(1);
    }

    @Test
    void whatRingAndLogFileSurviveIsToldWithItsEvidence() {
        try (BurstLog log = temp.open()) {
            assertThat(log.durabilityStatement().lines())
                    .hasSize(2)
                    .anyMatch(told -> told.startsWith("ring " + temp.ring() + " survives "))
                    .anyMatch(told -> told.startsWith("log file " + temp.file() + " survives "));
        }
    }

    @Test
    void anOpenLogTellsWhatItIsDoing() {
        // AUTO takes what the disk lets it take.
        try (BurstLog log = BurstLog.open(temp.config().io(Io.PWRITE).build())) {
            log.append(line("order"));
            assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
            BurstStats stats = log.stats();
            assertThat(stats.state()).isEqualTo(BurstStats.State.OPEN);
            assertThat(stats.acceptedSequence()).isEqualTo(1);
            assertThat(stats.durableSequence()).isEqualTo(1);
            assertThat(stats.drainedSequence()).isEqualTo(1);
            assertThat(stats.commits()).isPositive();
            assertThat(stats.deviceBytes()).isPositive();
            assertThat(stats.capacityBytes()).isBetween(1L, 4 * TempLog.SMALL_RING_BYTES);
            assertThat(stats.fileBytes()).isEqualTo(6);
            assertThat(stats.epoch()).isPositive();
            assertThat(stats.io()).isEqualTo(Io.PWRITE);
        }
    }

    @Test
    void theDestinationIsEmptyAtTheFirstOpenOnly() {
        try (BurstLog log = temp.open()) {
            assertThat(log.destinationEmpty()).isTrue();
            log.append(line("order"));
        }
        try (BurstLog log = temp.open()) {
            assertThat(log.destinationEmpty()).isFalse();
            assertThat(log.stats().destinationEmpty()).isFalse();
        }
    }

    @Test
    void aSecondOpenOfTheSameRingIsRefusedNamingTheProcess() {
        try (BurstLog log = temp.open()) {
            assertThatExceptionOfType(BurstException.class)
                    .isThrownBy(() -> temp.open())
                    .withMessageContaining(
                            String.valueOf(ProcessHandle.current().pid()))
                    .extracting(BurstException::code)
                    .isEqualTo(BurstException.Code.BUSY);
            assertThat(log.append(line("order"))).isEqualTo(1);
        }
    }

    @Test
    void recoveryTellsWhatItFound() {
        try (BurstLog log = temp.open()) {
            assertThat(log.recoveryStatement()).isNotBlank();
            assertThat(log.provablyLost()).isZero();
        }
    }

    @Test
    void theListenerHearsTheRecoveryStatementOnADaemonThread() throws InterruptedException {
        BlockingQueue<BurstEvent> heard = new LinkedBlockingQueue<>();
        BlockingQueue<Thread> on = new LinkedBlockingQueue<>();
        BurstConfig config = temp.config()
                .listener(event -> {
                    heard.add(event);
                    on.add(Thread.currentThread());
                })
                .build();
        temp.open().close();
        try (BurstLog log = BurstLog.open(config)) {
            BurstEvent first = heard.poll(30, TimeUnit.SECONDS);
            assertThat(first).isNotNull();
            assertThat(first.severity()).isEqualTo(BurstEvent.Severity.INFO);
            assertThat(first.text())
                    .contains(log.recoveryStatement().lines().findFirst().orElseThrow());
            assertThat(on.take().isDaemon()).isTrue();
        }
    }

    @Test
    void theListenersThreadEndsWithTheLog() throws InterruptedException {
        BlockingQueue<Thread> on = new LinkedBlockingQueue<>();
        Thread listening;
        try (BurstLog log = BurstLog.open(
                temp.config().listener(event -> on.add(Thread.currentThread())).build())) {
            listening = on.take();
        }
        listening.join(30_000);
        assertThat(listening.isAlive()).isFalse();
    }

    @Test
    void whatAListenerThrowsGoesToItsThreadsHandlerAndDisturbsNobody() throws InterruptedException {
        BlockingQueue<Throwable> handled = new LinkedBlockingQueue<>();
        BurstConfig config = temp.config()
                .listener(event -> {
                    Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> handled.add(failure));
                    throw new IllegalStateException(event.text());
                })
                .build();
        try (BurstLog log = BurstLog.open(config)) {
            assertThat(handled.poll(30, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
            assertThat(log.append(line("order"))).isEqualTo(1);
        }
    }

    @Test
    void aHandlerThatThrowsAsWellDoesNotEndTheDelivery() throws InterruptedException {
        BlockingQueue<BurstEvent> heard = new LinkedBlockingQueue<>();
        BurstConfig config = temp.config()
                .hugePages(HugePages.OFF) // a second event reports them
                .listener(event -> {
                    heard.add(event);
                    Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> {
                        throw new IllegalStateException("handler", failure);
                    });
                    throw new IllegalStateException("listener");
                })
                .build();
        try (BurstLog log = BurstLog.open(config)) {
            assertThat(heard.poll(30, TimeUnit.SECONDS)).isNotNull();
            assertThat(heard.poll(30, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void aListenerMayCloseTheLog() throws InterruptedException {
        BlockingQueue<BurstLog> opened = new LinkedBlockingQueue<>();
        BlockingQueue<BurstLog> closed = new LinkedBlockingQueue<>();
        BurstConfig config = temp.config()
                .listener(event -> {
                    BurstLog log = takeUninterrupted(opened);
                    log.close();
                    closed.add(log);
                    opened.add(log);
                })
                .build();
        opened.add(BurstLog.open(config));
        BurstLog log = closed.poll(30, TimeUnit.SECONDS);
        assertThat(log).isNotNull();
        assertThat(log.stats().state()).isEqualTo(BurstStats.State.CLOSED);
    }

    private static BurstLog takeUninterrupted(BlockingQueue<BurstLog> queue) {
        try {
            return queue.take();
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Test
    void aNewLogFileGetsThePermissionsAskedFor() throws IOException {
        StreamConfig.Builder main = temp.main().filePermissions(PosixFilePermissions.fromString("rw-r-----"));
        BurstConfig config = temp.config(main).build();
        BurstLog.open(config).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(temp.file())))
                .isEqualTo("rw-r-----");
    }

    @Test
    void namesOutsideAsciiReachTheEngineUnchanged() throws IOException {
        Path file = temp.directory().resolve("Aufträge 注文.log");
        try (BurstLog log =
                BurstLog.open(temp.config().fileName(file.toString()).build())) {
            log.append(line("order"));
            assertThat(log.currentFile()).endsWith("Aufträge 注文.log");
        }
        assertThat(Files.readAllLines(file)).containsExactly("order");
    }
}

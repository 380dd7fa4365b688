// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigTest {

    @TempDir
    private Path directory;

    private TempLog temp() {
        return new TempLog(directory, Binding.AUTO);
    }

    private BurstConfig.Builder valid() {
        return temp().config();
    }

    @Test
    void aMissingRingOrABlankFileNameIsNamed() {
        assertThat(refusal(valid().ring(null))).contains("ring is missing");
        assertThat(refusal(valid().ring(" "))).contains("ring is missing");
        assertThat(refusal(valid().fileName(" "))).contains("fileName is missing");
    }

    @Test
    void aFileNameIsShortForAMainStream() {
        StreamConfig main = temp().main().build();
        assertThat(valid().build().main()).isEqualTo(main);
        assertThat(valid().build().values())
                .isEqualTo(temp().config(temp().main()).build().values());
        assertThat(valid().fileName(null).build().main()).isNull();
        assertThat(refusal(valid().main(main)))
                .isEqualTo("main and fileName both name a main stream; leave fileName out.");
    }

    @Test
    void aBuilderMakesTheSameTwice() {
        BurstConfig.Builder builder = valid();
        assertThat(builder.build().values()).isEqualTo(builder.build().values());
    }

    @Test
    void aNegativeValueIsNamedWithTheValueSeen() {
        assertThat(refusal(valid().ringBytes(-5))).contains("ringBytes").contains("-5");
        assertThat(refusal(valid().maxRecordBytes(-6)))
                .contains("maxRecordBytes")
                .contains("-6");
        assertThat(refusal(valid().drainInterval(Duration.ofSeconds(-8))))
                .contains("drainInterval")
                .contains("-8");
        assertThat(refusal(valid().shutdownTimeout(Duration.ofSeconds(-9))))
                .contains("shutdownTimeout")
                .contains("-9");
    }

    @Test
    void aNameWithANulCharacterIsRefused() {
        assertThat(refusal(valid().ring("orders\0.ring"))).contains("ring").contains("NUL");
        assertThat(refusal(valid().commitCpu("a\0b"))).contains("commitCpu").contains("NUL");
    }

    @Test
    void aMissingConstantOrTimeIsNamed() {
        assertThatNullPointerException()
                .isThrownBy(() -> valid().io(null).build())
                .withMessage("io");
        assertThatNullPointerException()
                .isThrownBy(() -> valid().batchDelay(null).build())
                .withMessage("batchDelay");
    }

    @Test
    void whatTheBuilderIsToldAfterABuildChangesNothing() {
        BurstConfig.Builder builder = valid().ringBytes(4 << 20);
        BurstConfig config = builder.build();
        builder.ringBytes(8 << 20);
        assertThat(config.values()).containsEntry("ringBytes", 4L << 20);
    }

    @Test
    void whatTheEngineRefusesNamesTheValueAndLeavesNothingBehind() {
        assertThat(refusal(valid().ringBytes(12_345))).contains("12345");
        long tooLong = 3 * TempLog.SMALL_RING_BYTES;
        assertThat(refusal(valid().maxRecordBytes(tooLong))).contains("" + tooLong);
        assertThat(directory.resolve("orders.log")).doesNotExist();
        assertThat(directory.resolve("orders.ring")).doesNotExist();
    }

    @Test
    void anotherSizeThanTheRingHasIsRefusedNamingBoth() {
        BurstLog.open(valid().ringBytes(4 << 20).build()).close();
        assertThat(refusal(valid().ringBytes(8 << 20))).contains("" + (4 << 20)).contains("" + (8 << 20));
    }

    @Test
    void aRingBelowAFileIsRefusedNamingIt() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        Path ring = file.resolve("orders.ring");
        assertThat(refusal(valid().ring(ring.toString()))).contains(ring.toString());
        assertThat(file).isEmptyFile();
    }

    @Test
    void aRingThatIsToBeItsOwnLogFileIsRefused() {
        Path ring = directory.resolve("orders.ring");
        assertThat(refusal(valid().fileName(ring.toString()))).contains(ring.toString());
        assertThat(refusal(valid().fileName(ring.toString()))).contains(ring.toString());
    }

    @Test
    void cpusAndPrioritiesThatTheHostDoesNotHaveAreRefusedNamingWhatItHas() {
        assertThat(refusal(valid().drainCpu("4999"))).contains("drainCpu=\"4999\"", "no CPU 4999", "online here: 0");
        assertThat(refusal(valid().commitCpu("0,b"))).contains("commitCpu=\"0,b\"", "no list of CPUs");
        assertThat(refusal(valid().realtimePriority(-1))).contains("realtimePriority=\"-1\"", "1 to 99");
        assertThat(refusal(valid().drainCpu("0\0001"))).contains("drainCpu").contains("NUL");
        assertThat(directory.resolve("orders.ring")).doesNotExist();
    }

    @Test
    void batchesAndSpinningThatCannotBeMeantAreRefused() {
        assertThat(refusal(valid().batchDelay(Duration.ofSeconds(2)))).contains("batchDelay", "2 s", "at most");
        assertThat(refusal(valid().batchBytes(4096))).contains("batchSize", "4096 bytes", "no batchDelay");
        assertThat(refusal(valid().batchBytes(-1))).contains("batchBytes is -1");
        assertThat(refusal(valid().commitSpin(true).realtimePriority(5))).contains("commitCpu");
        assertThat(directory.resolve("orders.ring")).doesNotExist();
    }

    @Test
    void recordsOfABatchBecomeDurableTogether() throws InterruptedException {
        Duration delay = Duration.ofSeconds(1);
        BurstConfig config = valid().batchDelay(delay).batchBytes(64 * 1024).build();
        long begin;
        long tookNanos;
        BurstLog log;
        int batches = 0;
        do {
            assertThat(++batches)
                    .as("batches of which all but this took longer than their delay")
                    .isLessThan(20);
            log = BurstLog.open(config);
            begin = System.nanoTime();
            for (int i = 0; i < 99; i++) {
                log.enqueue(new byte[64]);
            }
            // If they did not wait for others they would be durable by then.
            Thread.sleep(100);
            long last = log.enqueue(new byte[64]);
            tookNanos = System.nanoTime() - begin;
            assertThat(log.awaitDurable(last, TempLog.LONG_ENOUGH)).isTrue();
            log.close();
        } while (tookNanos >= delay.toNanos());
        assertThat(log.stats().commits()).isOne();
    }

    @Test
    void aWriterThatSpinsMakesRecordsDurableToo() {
        try (BurstLog log = BurstLog.open(valid().commitSpin(true).build())) {
            long sequence = log.offer(new byte[64]);
            assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
                while (log.durableSequence() < sequence) {
                    Thread.onSpinWait();
                }
            });
        }
    }

    @Test
    void whereThreadsAndImageAreIsToldToTheListener() throws Exception {
        BlockingQueue<BurstEvent> told = new LinkedBlockingQueue<>();
        String cpu = allowedCpu();
        BurstLog.open(valid().drainCpu(cpu)
                        .commitCpu(cpu)
                        .hugePages(HugePages.OFF)
                        .listener(told::add)
                        .build())
                .close();
        String where = "burst-drain on CPU " + cpu + ", SCHED_OTHER; burst-commit on CPU " + cpu + ", SCHED_OTHER";
        BurstEvent event;
        do {
            event = told.poll(30, TimeUnit.SECONDS);
            assertThat(event).as("an event that says: %s", where).isNotNull();
        } while (!event.text().contains(where));
        assertThat(event.severity()).isEqualTo(BurstEvent.Severity.INFO);
        assertThat(event.text()).contains(" 0 of 7 MiB in huge pages");
    }

    private static String allowedCpu() throws IOException {
        return Files.readString(Path.of("/proc/self/status")).replaceAll("(?s).*Cpus_allowed_list:\\s*(\\d+).*", "$1");
    }

    @Test
    void anUnknownGroupIsRefusedByName() {
        assertThat(refusal(temp().config(temp().main().fileGroup("no-such-group-here"))))
                .contains("no-such-group-here");
    }

    @Test
    void defaultsAreThoseOfTheEngine() {
        BurstConfig config =
                BurstConfig.builder().ring("a.ring").fileName("a.log").build();
        Map<String, Object> values = new HashMap<>();
        values.putAll(Map.of(
                "ring",
                "a.ring",
                "main",
                StreamConfig.builder().fileName("a.log").build()));
        values.putAll(Map.of("durability", Durability.POWER, "io", Io.AUTO));
        values.putAll(Map.of("binding", Binding.AUTO, "hugePages", HugePages.AUTO));
        values.putAll(Map.of("ringBytes", 0L, "maxRecordBytes", 0L, "batchBytes", 0L));
        values.putAll(Map.of("drainInterval", Duration.ZERO));
        values.putAll(Map.of("shutdownTimeout", Duration.ZERO, "batchDelay", Duration.ZERO));
        values.putAll(Map.of("realtimePriority", 0, "commitSpin", false, "windowPermissions", Set.of()));
        values.put("drain", Drain.INNER);
        assertThat(config.values()).isEqualTo(values);
    }

    /** The one sentence that refuses a configuration, when it is built or when it is opened. */
    private static String refusal(BurstConfig.Builder builder) {
        BurstException failure = catchThrowableOfType(
                BurstException.class, () -> BurstLog.open(builder.build()).close());
        assertThat(failure).isNotNull();
        assertThat(failure.getMessage()).isNotBlank().hasLineCount(1);
        return failure.getMessage();
    }
}

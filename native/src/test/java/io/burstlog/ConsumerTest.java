// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.LONG_ENOUGH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Consumers of the segments of a stream. */
@Timeout(120)
class ConsumerTest {

    private static final int ROOM = 1 << 16;

    private TempLog temp;
    private Path folder;

    @BeforeEach
    void createDirectory(@TempDir Path directory) {
        temp = new TempLog(directory, Binding.AUTO);
        folder = directory.resolve("orders.segments");
    }

    private BurstLog openLog() {
        return BurstLog.open(temp.config().fileName(null).build());
    }

    private StreamConfig config() {
        return StreamConfig.builder()
                .fileName(temp.file().toString())
                .segments(Segments.in(folder.toString()).bytes(1 << 16))
                .build();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(ConsumedRecords records) {
        return StandardCharsets.UTF_8.decode(records.data()).toString();
    }

    private static long enqueue(BurstStream stream, String text, long eventTimeNanos) {
        return stream.enqueue(RecordBuffer.allocate(32, 32).put(ByteBuffer.wrap(bytes(text))), eventTimeNanos);
    }

    /** Writes "order 1" to "order COUNT", and waits until they are in the segments. */
    private void write(int count) {
        try (BurstLog log = openLog();
                BurstStream orders = log.stream("orders", config())) {
            for (int order = 1; order <= count; order++) {
                enqueue(orders, "order " + order, order);
            }
            assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
        }
    }

    private static void assertCode(BurstException.Code code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BurstException.class,
                        failure -> assertThat(failure.code()).isEqualTo(code));
    }

    /** docs/segments.md tells the operator to begin a folder anew like this, while the log is open. */
    @Test
    void aFolderThatIsBegunAnewEndsTheWait() throws IOException {
        final int stale = 116;
        try (BurstLog log = openLog();
                BurstStream orders = log.stream("orders", config())) {
            enqueue(orders, "order 1", 1);
            assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
            try (BurstConsumer consumer = log.consumer("reader", "orders")) {
                assertThat(consumer.poll(ROOM, LONG_ENOUGH).isEmpty()).isFalse();
                consumer.ack();
                Files.move(folder, folder.resolveSibling("before"));
                Files.createDirectory(folder);
                Files.createFile(folder.resolve("head"));
                enqueue(orders, "order 2", 2);
                assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
                for (ThrowingCallable call :
                        List.<ThrowingCallable>of(consumer::lag, () -> consumer.poll(ROOM, LONG_ENOUGH))) {
                    assertThatThrownBy(call)
                            .isInstanceOfSatisfying(
                                    BurstException.class,
                                    failure -> assertThat(failure.errno()).isEqualTo(stale))
                            .hasMessageContaining(folder + " of stream \"orders\" was begun anew");
                }
            }
            try (BurstConsumer consumer = log.consumer("reader", "orders")) {
                ConsumedRecords records = consumer.poll(ROOM, LONG_ENOUGH);
                assertThat(records.next()).isTrue();
                assertThat(records.number()).isEqualTo(2);
                assertThat(text(records)).isEqualTo("order 2");
                assertThat(consumer.stream()).isEqualTo("orders");
            }
        }
    }

    @Test
    void eachRecordComesOnceWithItsNumber() {
        try (BurstLog log = openLog();
                BurstStream orders = log.stream("orders", config());
                BurstStream audit = log.stream(
                        "audit",
                        StreamConfig.builder().fileName(temp.file() + ".audit").build());
                BurstConsumer consumer = log.consumer("reader", "orders")) {
            assertThat(consumer.poll(ROOM, Duration.ZERO).isEmpty()).isTrue();
            List<Long> sequences = new ArrayList<>();
            for (int order = 1; order <= 3_000; order++) {
                audit.enqueue(bytes("beside"));
                sequences.add(enqueue(orders, "order " + order, 7L * order));
            }
            for (int order = 1; order <= 3_000; ) {
                ConsumedRecords records = consumer.poll(ROOM, LONG_ENOUGH);
                assertThat(records.isEmpty()).isFalse();
                for (; records.next(); order++) {
                    assertThat(records.kind()).isEqualTo(ConsumedRecords.Kind.RECORD);
                    assertThat(records.number()).isEqualTo(order);
                    assertThat(records.sequence()).isEqualTo(sequences.get(order - 1));
                    assertThat(records.eventTimeNanos()).isEqualTo(7L * order);
                    assertThat(records.count()).isEqualTo(1);
                    assertThat(text(records)).isEqualTo("order " + order);
                    assertThat(records.data().isReadOnly()).isTrue();
                    assertThat(records.ring()).matches("[0-9a-f]{32}");
                }
                assertThat(consumer.position()).isEqualTo(order);
            }
            assertThat(consumer.stream()).isEqualTo("orders");
            assertThat(consumer.folderId()).matches("[0-9a-f]{32}");
        }
    }

    @Test
    void theMainStreamHasSegmentsToo() {
        Segments segments = Segments.in(folder.toString())
                .keepBytes(1)
                .keep(Duration.ofDays(1))
                .limitBytes(1 << 20)
                .limit(Duration.ofDays(2))
                .release(true);
        try (BurstLog log = BurstLog.open(
                        temp.config(temp.main().segments(segments)).build());
                BurstConsumer consumer = log.consumer("reader", "")) {
            log.append(bytes("order"));
            ConsumedRecords records = consumer.poll(ROOM, LONG_ENOUGH);
            assertThat(records.next()).isTrue();
            assertThat(text(records)).isEqualTo("order");
            consumer.ack();
        }
        assertThatThrownBy(() -> BurstLog.open(
                        temp.config(temp.main().segments(segments.bytes(1))).build()))
                .hasMessageContaining("segment");
    }

    @Test
    void aStreamWithoutSegmentsHasNoConsumer() {
        try (BurstLog log = openLog();
                BurstStream stream = log.stream(
                        "orders",
                        StreamConfig.builder().fileName(temp.file().toString()).build())) {
            assertThat(stream.stats().id()).isPositive();
            assertThatThrownBy(() -> log.consumer("reader", "orders"))
                    .hasMessageContaining("segments(Segments.in(FOLDER))");
            assertCode(BurstException.Code.INVALID_ARGUMENT, () -> log.consumer("reader", "orders"));
        }
        assertCode(BurstException.Code.OTHER, () -> BurstConsumer.open(folder, "reader"));
    }

    @Test
    void whatIsAcknowledgedDoesNotComeAgain() {
        write(100);
        try (BurstConsumer consumer = BurstConsumer.open(folder, "reader")) {
            assertCode(BurstException.Code.BUSY, () -> BurstConsumer.open(folder, "reader"));
            consumer.ack();
            assertThat(consumer.poll(ROOM, LONG_ENOUGH).next()).isTrue();
            consumer.ack(40);
            assertCode(BurstException.Code.INVALID_ARGUMENT, () -> consumer.ack(101));
            assertCode(BurstException.Code.INVALID_ARGUMENT, () -> consumer.seek(0));
        }
        try (BurstConsumer consumer = BurstConsumer.open(folder, "reader");
                BurstConsumer other = BurstConsumer.open(folder, "other")) {
            assertThat(consumer.position()).isEqualTo(41);
            assertThat(other.position()).isEqualTo(1);
            ConsumedRecords records = consumer.poll(ROOM, LONG_ENOUGH);
            assertThat(records.next()).isTrue();
            assertThat(text(records)).isEqualTo("order 41");
            consumer.ack();
        }
        try (BurstConsumer consumer = BurstConsumer.open(folder, "reader")) {
            assertThat(consumer.position()).isEqualTo(101);
            consumer.seek(99);
            ConsumedRecords records = consumer.poll(ROOM, LONG_ENOUGH);
            assertThat(records.next()).isTrue();
            assertThat(text(records)).isEqualTo("order 99");
            assertThat(records.next()).isTrue();
            assertThat(records.next()).isFalse();
            records.rewind();
            assertThat(records.next()).isTrue();
            assertThat(text(records)).isEqualTo("order 99");
        }
    }

    @Test
    void aRecordLargerThanTheBufferComesAllTheSame() {
        byte[] large = new byte[200_000];
        large[199_999] = 7;
        try (BurstLog log = openLog();
                BurstStream orders = log.stream("orders", config());
                BurstConsumer consumer = log.consumer("reader", "orders")) {
            orders.append(bytes("first"));
            orders.append(large);
            orders.append(bytes(""));
            ConsumedRecords records = consumer.poll(0, LONG_ENOUGH);
            assertThat(records.next()).isTrue();
            assertThat(text(records)).isEqualTo("first");
            assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
            int found = 1;
            for (; found < 3; ) {
                for (records = consumer.poll(0, LONG_ENOUGH); records.next(); found++) {
                    byte[] data = new byte[records.length()];
                    records.data().get(data);
                    assertThat(data).isEqualTo(found == 1 ? large : bytes(""));
                }
            }
        }
    }

    @Test
    void whatIsMissingIsTold() throws IOException {
        for (int batch = 0; batch < 4; batch++) {
            write(500);
        }
        List<Path> segments;
        try (var files = Files.list(folder)) {
            segments = files.filter(file -> file.toString().endsWith(".seg"))
                    .sorted()
                    .toList();
        }
        assertThat(segments).hasSizeGreaterThan(2);
        Files.delete(segments.get(1));
        long[] got = {0, 0};
        try (BurstConsumer consumer = BurstConsumer.open(folder, "reader")) {
            for (long number = 1; number <= 2_000; ) {
                ConsumedRecords records = consumer.poll(ROOM, LONG_ENOUGH);
                while (records.next()) {
                    number += records.count();
                    assertThat(records.number()).isEqualTo(number - 1);
                    got[records.kind() == ConsumedRecords.Kind.MISSING ? 1 : 0] += records.count();
                }
            }
        }
        assertThat(got[1]).isGreaterThanOrEqualTo(500);
        assertThat(got[0] + got[1]).isEqualTo(2_000);
    }

    @Test
    void theLagIsWhatIsNotGiven() {
        write(500);
        try (BurstConsumer consumer = BurstConsumer.open(folder, "reader")) {
            ConsumerLag lag = consumer.lag();
            assertThat(lag.records()).isEqualTo(500);
            assertThat(lag.bytes()).isGreaterThan(500 * 64);
            assertThat(lag.oldestEventTimeNanos()).isEqualTo(1);
            consumer.poll(4096, LONG_ENOUGH);
            long left = 501 - consumer.position();
            assertThat(left).isBetween(400L, 499L);
            assertThat(consumer.lag().records()).isEqualTo(left);
            assertThat(consumer.lag().oldestEventTimeNanos()).isEqualTo(501 - left);
            consumer.poll(1 << 20, LONG_ENOUGH);
            assertThat(consumer.lag()).isEqualTo(new ConsumerLag(0, 0, 0));
        }
    }

    @Test
    void everybodySeesHowFarEachConsumerIs() {
        write(500);
        assertThat(BurstConsumer.look(folder.toString())).isEmpty();
        try (BurstConsumer first = BurstConsumer.open(folder, "first");
                BurstConsumer second = BurstConsumer.open(folder, "second")) {
            assertThat(first.poll(4096, LONG_ENOUGH).isEmpty()).isFalse();
            first.ack(20);
            List<ConsumerState> states = BurstConsumer.look(folder.toString());
            assertThat(states).extracting(ConsumerState::name).containsExactly("first", "second");
            assertThat(states).extracting(ConsumerState::acknowledged).containsExactly(20L, 0L);
            assertThat(states.get(0).lag().records()).isEqualTo(480);
            assertThat(states.get(0).lag().oldestEventTimeNanos()).isEqualTo(21);
            assertThat(states.get(0).lag().bytes()).isGreaterThan(480 * 64);
            assertThat(states.get(0).acknowledgedAt()).isAfter(Instant.now().minusSeconds(3600));
            assertThat(states.get(1).acknowledgedAt()).isNull();
            assertThat(second.position()).isEqualTo(1);
        }
    }

    @Test
    void aConsumerGoesToATimeOrASequence() {
        write(500);
        try (BurstConsumer consumer = BurstConsumer.open(folder, "reader")) {
            consumer.seekTime(77);
            assertThat(consumer.position()).isEqualTo(77);
            consumer.seekSequence(400);
            assertThat(consumer.position()).isEqualTo(400);
            consumer.seekSequence(501);
            assertThat(consumer.position()).isEqualTo(501);
        }
    }

    @Test
    void closingEndsAPoll() throws InterruptedException {
        write(1);
        BurstConsumer consumer = BurstConsumer.open(folder, "reader");
        ConsumedRecords records = consumer.poll(ROOM, LONG_ENOUGH);
        Thread closing = new Thread(() -> {
            sleep(50);
            consumer.close();
        });
        closing.start();
        assertCode(BurstException.Code.CLOSED, () -> consumer.poll(ROOM, Duration.ofDays(100_000)));
        closing.join();
        assertThat(records.next()).isFalse();
        consumer.close();
        assertCode(BurstException.Code.CLOSED, () -> consumer.poll(ROOM, Duration.ZERO));
        assertCode(BurstException.Code.CLOSED, consumer::position);
        assertCode(BurstException.Code.CLOSED, consumer::lag);
        BurstConsumer.open(folder, "reader").close();
    }

    @Test
    void aPollWithoutRecordsEnds() {
        write(1);
        try (BurstConsumer consumer = BurstConsumer.open(folder, "reader")) {
            assertThat(consumer.poll(ROOM, Duration.ZERO).next()).isTrue();
            assertThat(consumer.poll(ROOM, Duration.ofMillis(150)).isEmpty()).isTrue();
            assertThat(consumer.poll(ROOM, Duration.ofMillis(-1)).isEmpty()).isTrue();
        }
    }

    @Test
    void goingThroughRecordsAllocatesNothing() {
        write(20_000);
        try (BurstConsumer consumer = BurstConsumer.open(folder, "reader")) {
            long[] sum = {0};
            Runnable all = () -> {
                consumer.seek(1);
                while (true) {
                    ConsumedRecords records = consumer.poll(1 << 18, Duration.ZERO);
                    if (records.isEmpty()) {
                        return;
                    }
                    while (records.next()) {
                        ByteBuffer data = records.data();
                        sum[0] += records.number() + records.sequence() + data.get(data.position());
                        sum[0] += records.ring().length();
                    }
                }
            };
            AllocationTest.assertAllocatesNothing(all, 20, 5);
            assertThat(sum[0]).isPositive();
        }
    }

    /**
     * A consumer follows the log, is killed, and comes back: it leaves no number out, and repeats none that it
     * acknowledged.
     */
    @Test
    void aConsumerInAnotherProcessIsKilled() throws Exception {
        List<String> found = new ArrayList<>();
        try (BurstLog log = openLog();
                BurstStream orders = log.stream("orders", config())) {
            int written = 0;
            for (int round = 1; round <= 3; round++) {
                Process consumer = new ProcessBuilder(FollowingConsumer.command(folder))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                try (BufferedReader said = consumer.inputReader()) {
                    // It prints a line at its start, so it already waits: the record wakes it.
                    for (String line = said.readLine(); line != null; line = said.readLine()) {
                        found.add(line);
                        while (written < 1_000 * round) {
                            orders.enqueue(bytes("order " + ++written));
                        }
                        if (line.equals("order " + (written - 105))) {
                            consumer.toHandle().destroyForcibly();
                        }
                    }
                } finally {
                    consumer.toHandle().destroyForcibly();
                    consumer.waitFor();
                }
            }
        }
        long next = 1;
        long acknowledged = 0;
        for (String line : found) {
            long number = Long.parseLong(line.replaceAll("\\D+", ""));
            if (line.startsWith("begins ")) {
                assertThat(number).isBetween(acknowledged + 1, next);
                next = number;
            } else if (line.startsWith("acknowledged ")) {
                acknowledged = number;
            } else {
                assertThat(number).isEqualTo(next++);
            }
        }
        assertThat(acknowledged).isGreaterThanOrEqualTo(2_890);
        assertThat(found).filteredOn(line -> line.startsWith("begins ")).hasSize(3);
    }

    private static void sleep(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }
}

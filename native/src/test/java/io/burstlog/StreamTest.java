// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.LONG_ENOUGH;
import static io.burstlog.TempLog.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several streams of one log. */
@EachBinding
class StreamTest {

    private static final int MOST_STREAMS = 63;

    private final Binding binding;
    private TempLog temp;

    StreamTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void createDirectory(@TempDir Path directory) {
        temp = new TempLog(directory, binding);
    }

    private Path file(String name) {
        return temp.directory().resolve(name + ".log");
    }

    private StreamConfig.Builder config(String name) {
        return StreamConfig.builder().fileName(file(name).toString());
    }

    private BurstStream open(BurstLog log, String name) {
        return log.stream(name, config(name).build());
    }

    private BurstLog openWithoutFile() {
        return BurstLog.open(temp.config().fileName(null).build());
    }

    private static void assertCode(BurstException.Code code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BurstException.class,
                        failure -> assertThat(failure.code()).isEqualTo(code));
    }

    @Test
    void everyVerbWritesToTheFileOfItsStream() throws IOException {
        RecordBuffer record = RecordBuffer.allocate(64, 64).put(ByteBuffer.wrap(line("record")));
        try (BurstLog log = temp.open();
                BurstStream audit = open(log, "audit");
                BurstStream orders = open(log, "orders2")) {
            assertThat(log.append(line("main"))).isEqualTo(1);
            assertThat(audit.append(line("append"))).isEqualTo(2);
            assertThat(audit.enqueue(ByteBuffer.wrap(line("enqueue")))).isEqualTo(3);
            assertThat(audit.offer(line("offer"))).isEqualTo(4);
            assertThat(orders.append(record, 1)).isEqualTo(5);
            assertThat(orders.enqueue(record, 1)).isEqualTo(6);
            assertThat(orders.offer(record, 1)).isEqualTo(7);
            assertThat(orders.append(record, 1, OnFull.FAIL, LONG_ENOUGH)).isEqualTo(8);
            assertThat(log.durableSequence()).isEqualTo(8);
            assertThat(orders.enqueue(record, 1, OnFull.DISCARD, LONG_ENOUGH)).isEqualTo(9);
            assertThat(log.awaitDurable(9, LONG_ENOUGH)).isTrue();
            assertThat(audit.awaitDrained(LONG_ENOUGH)).isTrue();
            assertThat(file("audit")).hasContent("append\nenqueue\noffer\n");
            assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
            assertThat(Files.readString(file("orders2"))).isEqualTo("record\n".repeat(5));
            assertThat(temp.lines()).containsExactly("main");
        }
    }

    @Test
    void theFiguresAreThoseOfTheStream() {
        try (BurstLog log = temp.open();
                BurstStream audit = open(log, "audit")) {
            assertThat(audit.destinationEmpty()).isTrue();
            assertThat(audit.maxRecordBytes()).isEqualTo(log.maxRecordBytes());
            assertThat(audit.currentFile()).isEqualTo(file("audit").toString());
            log.append(line("main"));
            audit.append(line("12345"));
            audit.append(line("12345"));
            assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
            // The drain reports it at the end of its step, a moment after the records are in the file.
            while (audit.stats().heldBytes() != 0) {
                Thread.onSpinWait();
            }
            StreamStats stats = audit.stats();
            assertThat(stats.state()).isEqualTo(BurstStats.State.OPEN);
            assertThat(stats.drainedSequence()).isEqualTo(3);
            assertThat(stats.drainedRecords()).isEqualTo(2);
            assertThat(stats.drainedBytes()).isEqualTo(12);
            assertThat(stats.fileBytes()).isEqualTo(12);
            assertThat(stats.discarded()).isZero();
            assertThat(stats.id()).isPositive();
            assertThat(audit).hasToString("BurstStream[audit of " + temp.ring() + "]");
        }
    }

    @Test
    void aLogWithoutAMainStreamTakesRecordsInItsStreamsOnly() {
        try (BurstLog log = openWithoutFile()) {
            assertCode(BurstException.Code.INVALID_ARGUMENT, () -> log.append(line("nowhere")));
            assertThat(log.currentFile()).isEmpty();
            try (BurstStream audit = open(log, null)) {
                assertThat(audit.append(line("1"))).isEqualTo(1);
            }
        }
        assertThat(file("null")).hasContent("1\n");
        assertThat(temp.file()).doesNotExist();
    }

    @Test
    void aLogHasAtMost63StreamsBesideTheMainOne() {
        List<BurstStream> streams = new ArrayList<>();
        try (BurstLog log = openWithoutFile()) {
            for (int i = 1; i <= MOST_STREAMS; i++) {
                streams.add(open(log, "stream" + i));
            }
            for (int i = 1; i <= MOST_STREAMS; i++) {
                assertThat(streams.get(i - 1).enqueue(line("record " + i))).isEqualTo(i);
            }
            log.flush();
            assertThatThrownBy(() -> open(log, "late"))
                    .isInstanceOfSatisfying(
                            BurstException.class,
                            failure -> assertThat(failure.code()).isEqualTo(BurstException.Code.OTHER))
                    .hasMessageContaining("close one");
            assertThat(file("late")).doesNotExist();
            assertThat(streams.get(20).close(LONG_ENOUGH)).isTrue();
            assertThat(open(log, "late").append(line("in its place"))).isEqualTo(MOST_STREAMS + 1);
        }
        for (int i = 1; i <= MOST_STREAMS; i++) {
            assertThat(file("stream" + i)).hasContent("record " + i + "\n");
        }
        assertThat(file("late")).hasContent("in its place\n");
    }

    @Test
    void aClosedStreamRefusesRecordsAndTheOthersGoOn() {
        try (BurstLog log = openWithoutFile()) {
            BurstStream audit = open(log, "audit");
            BurstStream orders = open(log, "orders2");
            audit.enqueue(line("1"));
            assertThat(audit.close(LONG_ENOUGH)).isTrue();
            assertThat(file("audit")).hasContent("1\n");
            assertCode(BurstException.Code.CLOSED, () -> audit.append(line("2")));
            assertCode(BurstException.Code.CLOSED, () -> audit.offer(line("2")));
            assertThat(audit.close(LONG_ENOUGH)).isTrue();
            audit.close();
            assertThat(audit.stats().state()).isEqualTo(BurstStats.State.CLOSED);
            assertThat(audit.stats().drainedRecords()).isEqualTo(1);
            assertThat(audit.currentFile()).isEqualTo(file("audit").toString());
            orders.append(line("3"));
        }
        assertThat(file("audit")).hasContent("1\n");
        assertThat(file("orders2")).hasContent("3\n");
    }

    @Test
    void aLogClosesItsStreams() {
        BurstLog log = openWithoutFile();
        BurstStream audit = open(log, "audit");
        audit.enqueue(line("1"));
        log.close();
        assertThat(file("audit")).hasContent("1\n");
        assertCode(BurstException.Code.CLOSED, () -> audit.append(line("2")));
        assertCode(BurstException.Code.CLOSED, () -> open(log, "late"));
        assertThat(audit.close(LONG_ENOUGH)).isFalse();
        audit.close();
        assertThat(audit.stats().state()).isEqualTo(BurstStats.State.CLOSED);
        assertThat(audit.stats().drainedSequence()).isEqualTo(1);
        assertThat(file("late")).doesNotExist();
    }

    @Test
    void aStreamIsOpenedAgainInTheSameLogAndInTheNext() {
        try (BurstLog log = openWithoutFile()) {
            for (int i = 1; i <= 3; i++) {
                try (BurstStream audit = open(log, "audit")) {
                    assertThat(audit.destinationEmpty()).isEqualTo(i == 1);
                    assertThat(audit.append(line("" + i))).isEqualTo(i);
                }
            }
        }
        try (BurstLog log = openWithoutFile();
                BurstStream audit = open(log, "audit")) {
            assertThat(audit.append(line("4"))).isEqualTo(4);
        }
        assertThat(file("audit")).hasContent("1\n2\n3\n4\n");
    }

    @Test
    void aStreamGetsAnotherFileUnderItsName() {
        try (BurstLog log = openWithoutFile()) {
            try (BurstStream audit = open(log, "audit")) {
                audit.append(line("1"));
            }
            try (BurstStream audit = log.stream("audit", config("moved").build())) {
                audit.append(line("2"));
            }
        }
        assertThat(file("audit")).hasContent("1\n");
        assertThat(file("moved")).hasContent("2\n");
    }

    @Test
    void aStreamOrAFileThatIsOpenIsRefused() {
        try (BurstLog log = temp.open();
                BurstStream audit = open(log, "audit")) {
            assertCode(
                    BurstException.Code.BUSY,
                    () -> log.stream("audit", config("other").build()));
            assertCode(
                    BurstException.Code.BUSY,
                    () -> log.stream("other", config("audit").build()));
            assertCode(
                    BurstException.Code.BUSY,
                    () -> log.stream("other", config("orders").build()));
            assertThat(file("other")).doesNotExist();
            audit.append(line("1"));
        }
        assertThat(file("audit")).hasContent("1\n");
    }

    @Test
    void whatCannotBeUsedIsNamed() {
        assertThatThrownBy(() -> StreamConfig.builder().build())
                .isInstanceOf(BurstException.class)
                .hasMessageContaining("fileName is missing");
        assertThatThrownBy(() ->
                        config("audit").blockTimeout(Duration.ofSeconds(-1)).build())
                .hasMessageContaining("blockTimeout is -1 s");
        assertThatThrownBy(() -> config("audit").fileOwner("a\0b").build()).hasMessageContaining("fileOwner");
        try (BurstLog log = temp.open()) {
            assertThatThrownBy(() -> log.stream("a\0b", config("audit").build()))
                    .hasMessageContaining("name contains");
            assertCode(
                    BurstException.Code.INVALID_ARGUMENT,
                    () -> log.stream("x".repeat(256), config("audit").build()));
            assertThatThrownBy(() -> log.stream(
                            "audit",
                            config("audit").fileOwner("no-such-user-here").build()))
                    .hasMessageContaining("no-such-user-here");
            assertCode(
                    BurstException.Code.RECORD_TOO_LARGE,
                    () -> open(log, "audit").append(new byte[(int) log.maxRecordBytes() + 1]));
        }
    }

    @Test
    void aStreamHasARuleAndPermissionsOfItsOwn() throws IOException {
        StreamConfig discarding = config("discarding")
                .onFull(OnFull.DISCARD)
                .filePermissions(PosixFilePermissions.fromString("rw-r-----"))
                .build();
        StreamConfig failing = config("failing").onFull(OnFull.FAIL).build();
        StreamConfig impatient =
                config("impatient").blockTimeout(Duration.ofMillis(1)).build();
        try (BurstLog log = BurstLog.open(temp.config()
                .fileName(null)
                .ringBytes(TempLog.SMALL_RING_BYTES)
                .drainInterval(LONG_ENOUGH.multipliedBy(10))
                .build())) {
            BurstStream filling = open(log, "filling");
            BurstStream one = log.stream("discarding", discarding);
            BurstStream two = log.stream("failing", failing);
            BurstStream three = log.stream(null, impatient);
            // The file of the stream that fills the ring cannot be written.
            Files.delete(file("filling"));
            Files.createDirectory(file("filling"));
            RecordBuffer small = RecordBuffer.allocate(10_000, 10_000).put(new byte[10_000], 0, 10_000);
            fill(log, filling, small);
            // The drain's next look releases what is before the first record, and so makes some space.
            assertThat(log.awaitDrained(Duration.ofSeconds(1))).isFalse();
            fill(log, filling, small);
            assertThat(one.append(small, 0)).isZero();
            assertThat(one.stats().discarded()).isEqualTo(1);
            assertThatThrownBy(() -> two.append(small, 0)).isInstanceOf(RingFullException.class);
            assertCode(BurstException.Code.TIMED_OUT, () -> three.append(small, 0));
            assertThat(filling.close(Duration.ofMillis(1))).isFalse();
            Files.delete(file("filling"));
        }
        assertThat(Files.getPosixFilePermissions(file("discarding")))
                .isEqualTo(PosixFilePermissions.fromString("rw-r-----"));
        assertThat(file("discarding")).isEmptyFile();
        assertThat(file("filling")).isNotEmptyFile();
    }

    /** Fills the ring; returns when no write is under way. */
    private static void fill(BurstLog log, BurstStream stream, RecordBuffer record) {
        do {
            while (stream.offer(record, 0) > 0) {
                Thread.onSpinWait();
            }
            log.flush();
        } while (!isFull(stream, record));
    }

    /** A ring with enqueued records that are not written yet also refuses an offer. */
    private static boolean isFull(BurstStream stream, RecordBuffer record) {
        try {
            stream.enqueue(record, 0, OnFull.FAIL, LONG_ENOUGH);
            return false;
        } catch (RingFullException full) {
            return true;
        }
    }

    @Test
    void aStreamIsCheckedTogetherWithItsLog() {
        BurstConfig log = temp.config().fileName(null).build();
        log.check(config("audit").build());
        assertThatThrownBy(() -> log.check(
                        config("audit").fileGroup("no-such-group-here").build()))
                .hasMessageContaining("no-such-group-here");
        assertThat(temp.ring()).doesNotExist();
        assertThat(file("audit")).doesNotExist();
    }

    @Test
    void valuesAreComparable() {
        StreamConfig config = config("audit").fileGroup("adm").build();
        assertThat(config.values())
                .containsOnlyKeys(
                        "blockTimeout", "fileGroup", "fileName", "filePermissions", "index", "onFull", "rollsByCaller")
                .containsEntry("fileName", file("audit").toString())
                .containsEntry("filePermissions", Set.of())
                .containsEntry("onFull", OnFull.BLOCK);
        assertThat(config.onFull()).isEqualTo(OnFull.BLOCK);
        assertThat(config.blockTimeout()).isZero();
        assertThat(config)
                .isEqualTo(config.toBuilder().build())
                .hasSameHashCodeAs(config.toBuilder().build());
        assertThat(config).isNotEqualTo(config.toBuilder().rollsByCaller(true).build());
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The state of the clock, and its steps, as leaves. */
class ClocksTest {

    private static final long SECOND = 1_000_000_000;
    private static final long MINUTE = 60 * SECOND;

    /** As {@code chronyc -c tracking} of chrony 4.3 prints it. */
    private static final String CHRONY =
            "A29FC87B,162.159.200.123,4,1764205000.123456789,-0.000020000,0.000012,0.000034,"
                    + "-1.234,0.001,0.045,0.004000000,0.000500000,64.2,Normal";

    private static final String PTP = "sending: GET TIME_STATUS_NP 1a-0 seq 0 RESPONSE MANAGEMENT TIME_STATUS_NP"
            + " master_offset -27 ingress_time 1 gmPresent true gmIdentity 000000.fffe.000001";

    private final AtomicLong day = new AtomicLong(1_000 * SECOND);
    private final AtomicLong monotonic = new AtomicLong(5 * SECOND);

    private void pass(long nanos) {
        day.addAndGet(nanos);
        monotonic.addAndGet(nanos);
    }

    @Test
    void theLeastBoundThatASourceVouchesForCounts() {
        assertThat(ClockEvidence.of(0x2001, 4_000, 12, CHRONY, PTP)).isEqualTo("""
                source: kernel, chrony, ptp
                bound-ns: 2520001
                kernel: status 0x2001, maxerror 4000 us, esterror 12 us
                chrony: %s
                ptp: %s
                """.formatted(CHRONY, PTP));
        assertThat(ClockEvidence.of(0x2001, 1_500, 12, CHRONY, null)).contains("bound-ns: 1500000\n");
    }

    @Test
    void aClockThatNobodySetsHasNoBound() {
        assertThat(ClockEvidence.of(0x40, 16_000_000, 16_000_000, null, null)).isEqualTo("""
                source: none
                kernel: status 0x40, maxerror 16000000 us, esterror 16000000 us
                """);
        String lost = CHRONY.replace("Normal", "Not synchronised");
        assertThat(ClockEvidence.of(0x40, 16_000_000, 16_000_000, lost, "gmPresent false"))
                .startsWith("source: none\nkernel")
                .contains(lost);
        assertThat(ClockEvidence.of(0x40, 1, 1, "506 Cannot talk to daemon", null))
                .startsWith("source: none\n");
    }

    @Test
    void theKernelOfThisHostIsAsked() {
        assertThat(ClockEvidence.take())
                .containsPattern("\nkernel: status 0x[0-9a-f]+, maxerror \\d+ us, esterror \\d+ us\n");
    }

    @Test
    void aStepIsSeenOnceAndSlewingIsNone() {
        ClockWatch watch = new ClockWatch(day::get, monotonic::get);
        pass(MINUTE);
        assertThat(watch.look()).isNull();
        day.addAndGet(ClockWatch.LEAST_STEP_NANOS - 1);
        assertThat(watch.look()).isNull();
        day.addAndGet(-3_600 * SECOND);
        String text = watch.look();
        assertThat(ClockWatch.stepNanos(Leaf.ofArchive(Leaf.Kind.CLOCK_STEP, 1, text)))
                .isEqualTo(-3_600 * SECOND + ClockWatch.LEAST_STEP_NANOS - 1);
        pass(MINUTE);
        assertThat(watch.look()).isNull();
    }

    @Test
    void aThreadThatIsAwayBetweenTwoReadsSeesNoStep() {
        AtomicLong pause = new AtomicLong();
        ClockWatch watch = new ClockWatch(
                () -> {
                    pass(pause.get());
                    return day.get();
                },
                monotonic::get);
        pause.set(SECOND);
        assertThat(watch.look()).isNull();
        pause.set(0);
        assertThat(watch.look()).isNull();
    }

    @Test
    void evidenceIsTakenAtTheBeginningEachTenMinutesAndAfterAStep() throws Exception {
        Clocks clocks = new Clocks(day::get, monotonic::get, () -> "source: test\n");
        List<Leaf.Kind> kinds = new ArrayList<>();
        MemoryDisk disk = new MemoryDisk();
        try (ArchiveWriter writer = Written.open(disk)) {
            Statements statements = new Statements(clocks, new Sealing(List.of("elsewhere"), 10, 60), Written.ALL_KEPT);
            statements.promise(writer, disk);
            statements.promise(writer, disk);
            statements.beforeRecords(writer);
            pass(9 * MINUTE);
            statements.beforeRecords(writer);
            pass(MINUTE);
            statements.beforeRecords(writer);
            day.addAndGet(SECOND);
            statements.beforeRecords(writer);
            writer.commit();
        }
        ArchiveReader archive = new ArchiveReader(disk, ArchiveReader.head(disk));
        for (long index = 0; index < archive.size(); index++) {
            kinds.add(archive.leaf(index).kind());
        }
        assertThat(kinds)
                .containsExactly(
                        Leaf.Kind.KEY,
                        Leaf.Kind.SEALING,
                        Leaf.Kind.CLOCK,
                        Leaf.Kind.CLOCK,
                        Leaf.Kind.CLOCK_STEP,
                        Leaf.Kind.CLOCK);
        assertThat(Written.verify(disk).findings()).isEmpty();
    }

    @Test
    void anArchiveWithoutAnchorsPromisesNothingUnlessItHadSome() throws Exception {
        Sealing none = new Sealing(List.of(), 10, 60);
        MemoryDisk disk = new MemoryDisk();
        try (ArchiveWriter writer = Written.open(disk)) {
            new Statements(Written.CLOCKS, none, Written.ALL_KEPT).promise(writer, disk);
            assertThat(writer.size()).isEqualTo(1);
            disk.put(Anchors.answerName("elsewhere", 1), new byte[1]);
            new Statements(Written.CLOCKS, none, Written.ALL_KEPT).promise(writer, disk);
            assertThat(writer.size()).isEqualTo(2);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.time.Duration;

/**
 * The acts that an archiver adds to its archive by itself: what its anchors are to do, the state of the clock that
 * gives the times, that it was set, and that the time of payloads was over. One thread uses it.
 */
final class Statements {

    private static final long EVIDENCE_NANOS = Duration.ofMinutes(10).toNanos();

    private final Clocks clocks;
    private final Sealing sealing;
    private final Retention retention;
    private final ClockWatch watch;
    private boolean isPromised;
    private boolean isEvidenced;
    private long evidencedNanos;

    Statements(Clocks clocks, Sealing sealing, Retention retention) {
        this.clocks = clocks;
        this.sealing = sealing;
        this.retention = retention;
        watch = new ClockWatch(clocks.day(), clocks.monotonic());
    }

    /** States once what anchors are to do, if there are any, or were. */
    void promise(ArchiveWriter writer, Disk disk) throws IOException {
        if (!isPromised
                && (!sealing.anchors().isEmpty() || !disk.list(Tiles.ANCHORS).isEmpty())) {
            writer.act(Leaf.Kind.SEALING, sealing.text());
            writer.commit();
        }
        isPromised = true;
        retention.begin(disk, writer.signed().head());
    }

    /** Deletes payloads whose time is over; the head that says so has all that was appended. */
    void beforeCommit(ArchiveWriter writer) throws IOException {
        retention.look(writer);
    }

    /** Comes before records that were taken now. */
    void beforeRecords(ArchiveWriter writer) throws IOException {
        String step = watch.look();
        if (step != null) {
            writer.act(Leaf.Kind.CLOCK_STEP, step);
        }
        long now = clocks.monotonic().getAsLong();
        if (!isEvidenced || step != null || now - evidencedNanos >= EVIDENCE_NANOS) {
            isEvidenced = true;
            evidencedNanos = now;
            String evidence = clocks.evidence().get();
            if (evidence != null) {
                writer.act(Leaf.Kind.CLOCK, evidence);
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds where leaves lay behind the last confirmed head for longer than the archive promised. It counts leaves, and
 * takes times between them from the leaves, less the steps of the clock that the archive has recorded: no clock of the
 * auditor is asked. Where an anchor has a clock, it finds heads that were confirmed long after their leaves, too.
 */
final class SealingCheck {

    private final ArchiveReader archive;
    private final AnchorCheck anchors;
    private final Consumer<Finding> found;
    private final List<Part.Act> promises = new ArrayList<>();
    private final List<Part.Act> steps = new ArrayList<>();

    /** @param anchors has checked what anchors confirm */
    SealingCheck(ArchiveReader archive, AnchorCheck anchors, Consumer<Finding> found) {
        this.archive = archive;
        this.anchors = anchors;
        this.found = found;
    }

    void add(Part.Act act) {
        switch (act.leaf().kind()) {
            case SEALING -> promises.add(act);
            case CLOCK_STEP -> steps.add(act);
            default -> {
                // The others promise nothing.
            }
        }
    }

    void check() throws IOException {
        long next = 0;
        for (int i = 0; i < promises.size(); i++) {
            Part.Act promise = promises.get(i);
            long end = i + 1 < promises.size() ? promises.get(i + 1).index() : archive.size();
            boolean isLast = i + 1 == promises.size()
                    || !Sealing.isPromise(promises.get(i + 1).leaf());
            next = Math.max(next, promise.index());
            while (Sealing.isPromise(promise.leaf()) && next < end) {
                Long size = anchors.confirmed().higher(next);
                long behind = Math.min(size == null ? archive.size() : size, isLast ? end : archive.size());
                check(promise.leaf(), next, behind);
                next = behind;
            }
        }
    }

    private void check(Leaf promise, long first, long behind) throws IOException {
        String broken;
        try {
            broken = Sealing.brokenBy(promise, behind - first, nanosBetween(first, behind - 1));
            broken = broken == null ? lateness(promise, first, anchors.timeOf(behind)) : broken;
        } catch (IOException damaged) {
            // A finding names the bundle.
            return;
        }
        if (broken != null) {
            found.accept(new Finding(Finding.Kind.UNSEALED, first, behind - 1, "they " + broken));
        }
    }

    /** Steps of the clock behind the leaf may have been what was wrong with its time, in either direction. */
    private String lateness(Leaf promise, long first, Instant confirmed) throws IOException {
        if (confirmed == null || confirmed.equals(Instant.MIN)) {
            return null;
        }
        Duration allowed = Duration.ZERO;
        for (Part.Act each : steps) {
            if (each.index() >= first) {
                allowed = allowed.plusNanos(Math.abs(ClockWatch.stepNanos(each.leaf())));
            }
        }
        Instant taken = Instant.EPOCH.plusNanos(archive.leaf(first).takenNanos());
        return Sealing.lateBy(promise, Duration.between(taken, confirmed).minus(allowed));
    }

    private long nanosBetween(long first, long last) throws IOException {
        long nanos = archive.leaf(last).takenNanos() - archive.leaf(first).takenNanos();
        for (Part.Act each : steps) {
            if (each.index() > first && each.index() <= last) {
                nanos -= ClockWatch.stepNanos(each.leaf());
            }
        }
        return nanos;
    }
}

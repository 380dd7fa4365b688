// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.function.Consumer;

/**
 * Finds where leaves lay behind the last confirmed head for longer than the archive promised. It counts leaves, and
 * takes times between them from the leaves, less the steps of the clock that the archive has recorded: no clock of the
 * auditor is asked.
 */
final class SealingCheck {

    private final ArchiveReader archive;
    private final NavigableSet<Long> confirmed;
    private final Consumer<Finding> found;
    private final List<Part.Act> promises = new ArrayList<>();
    private final List<Part.Act> steps = new ArrayList<>();

    /** @param confirmed the sizes of heads that anchors confirm */
    SealingCheck(ArchiveReader archive, NavigableSet<Long> confirmed, Consumer<Finding> found) {
        this.archive = archive;
        this.confirmed = confirmed;
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
                Long size = confirmed.higher(next);
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
        } catch (IOException damaged) {
            // A finding names the bundle.
            return;
        }
        if (broken != null) {
            found.accept(new Finding(Finding.Kind.UNSEALED, first, behind - 1, "they " + broken));
        }
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

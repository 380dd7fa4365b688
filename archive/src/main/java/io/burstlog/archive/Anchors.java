// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstEvent;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Asks each anchor for the newest head when the promise of sealing wants it, in a thread for each, and keeps the
 * answers. It outlives the sessions of an archiver. Thread-safe.
 */
final class Anchors implements AutoCloseable {

    private static final long FIRST_BACK_OFF_MILLIS = 1_000;
    private static final long LAST_BACK_OFF_MILLIS = 60_000;
    private static final long FAREWELL_MILLIS = 4_000;

    private static final String HEAD = ".head";

    private final Disk disk;
    private final Sealing sealing;
    private final Consumer<BurstEvent> listener;
    private final List<Asking> asking = new ArrayList<>();
    private Checkpoint newest;
    private boolean isClosed;

    /** @param disk the archive's, for this object alone */
    Anchors(Disk disk, List<Anchor> anchors, Sealing sealing, Consumer<BurstEvent> listener) {
        this.disk = disk;
        this.sealing = sealing;
        this.listener = listener;
        anchors.forEach(each -> asking.add(new Asking(each)));
        asking.forEach(Thread::start);
    }

    List<ArchiverStats.AnchorStats> stats() {
        return asking.stream().map(each -> each.stats).toList();
    }

    /** Tells of a head that is durable. Returns at once. */
    synchronized void tell(Checkpoint head) {
        newest = head;
        notifyAll();
    }

    /** Waits for the first head; null when it is closed before. */
    private synchronized Checkpoint awaitFirst() throws InterruptedException {
        while (!isClosed && newest == null) {
            wait();
        }
        return newest;
    }

    /** Waits for a head that is due; null when it is closed and has no more. */
    private synchronized Checkpoint await(long confirmed) throws InterruptedException {
        long since = System.nanoTime();
        while (true) {
            boolean isNewer = newest.size() > confirmed;
            long left = sealing.nanosUntilAsked(newest.size() - confirmed, System.nanoTime() - since);
            if (isClosed || isNewer && left <= 0) {
                return isNewer ? newest : null;
            }
            if (isNewer) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } else {
                wait();
                since = System.nanoTime();
            }
        }
    }

    private synchronized Checkpoint rest(long millis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = end - System.nanoTime(); !isClosed && left > 0; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return isClosed ? null : newest;
    }

    /** {@return the size of the newest head that the anchor has confirmed; 0 if there is none} */
    static long newestKept(Disk disk, String anchor) throws IOException {
        return kept(disk, anchor).stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** {@return the sizes of the heads to which the anchor's answers are kept, the smallest first} */
    static List<Long> kept(Disk disk, String anchor) throws IOException {
        return disk.list(Tiles.ANCHORS + "/" + anchor).stream()
                .filter(name -> name.matches("[1-9]\\d{0,17}"))
                .map(Long::valueOf)
                .sorted()
                .toList();
    }

    static String answerName(String anchor, long size) {
        return Tiles.ANCHORS + "/" + anchor + "/" + size;
    }

    static String headName(String anchor, long size) {
        return answerName(anchor, size) + HEAD;
    }

    /** The head comes first: an answer without it would prove nothing. */
    private synchronized void keep(String anchor, Checkpoint head, byte[] answer) throws IOException {
        keep(headName(anchor, head.size()), head.toString().getBytes(UTF_8));
        keep(answerName(anchor, head.size()), answer);
    }

    private void keep(String name, byte[] bytes) throws IOException {
        String draft = name + ".tmp";
        disk.write(draft, bytes);
        disk.sync(List.of(draft));
        disk.rename(draft, name);
        disk.sync(List.of(name));
    }

    private final class Asking extends Thread {

        private final Anchor anchor;

        /** This thread alone changes it. */
        private volatile ArchiverStats.AnchorStats stats;

        Asking(Anchor anchor) {
            super("burstlog-archive anchor " + anchor.name());
            this.anchor = anchor;
            stats = new ArchiverStats.AnchorStats(anchor.name(), 0, 0, null);
            setDaemon(true);
        }

        @Override
        public void run() {
            try (anchor) {
                Checkpoint first = awaitFirst();
                if (first != null) {
                    long confirmed = newestConfirmed(first);
                    note(confirmed, 0, null);
                    for (Checkpoint head = first.size() > confirmed ? first : await(confirmed);
                            head != null;
                            head = await(confirmed)) {
                        confirmed = confirm(head);
                    }
                }
            } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
            }
        }

        private long newestConfirmed(Checkpoint head) {
            try {
                long kept = newestKept(disk, anchor.name());
                return kept <= head.size() ? kept : 0;
            } catch (IOException | OutOfMemoryError unreadable) {
                return 0;
            }
        }

        /** Asks until there is an answer, or it is closed. {@return the size that the answer confirms} */
        private long confirm(Checkpoint first) throws InterruptedException {
            long backOff = FIRST_BACK_OFF_MILLIS;
            for (Checkpoint head = first; head != null; head = rest(backOff)) {
                try {
                    if (isConfirmed(head)) {
                        return head.size();
                    }
                } catch (RuntimeException | Error untold) {
                    // No memory for a sentence, or a listener that throws: the next try meets the same, or succeeds.
                }
                if (head != first) {
                    backOff = Math.min(2 * backOff, LAST_BACK_OFF_MILLIS);
                }
            }
            throw new InterruptedException();
        }

        /** Asks once, and tells what changed by that. */
        private boolean isConfirmed(Checkpoint head) {
            try {
                keep(anchor.name(), head, anchor.confirm(head, new ArchiveReader(disk, head)));
            } catch (IOException | RuntimeException | Error failure) {
                String reason = failure.getMessage() == null ? failure.toString() : failure.getMessage();
                tellChange(
                        true,
                        "the anchor " + anchor.name() + " does not confirm the head of " + disk + " with " + head.size()
                                + " leaves: " + reason + "; it is asked again");
                note(stats.leaves(), 1, reason);
                return false;
            }
            tellChange(false, "the anchor " + anchor.name() + " confirms heads of " + disk + " again");
            note(head.size(), 0, null);
            return true;
        }

        private void note(long leaves, int failures, String failure) {
            stats = new ArchiverStats.AnchorStats(anchor.name(), leaves, stats.failures() + failures, failure);
        }

        private void tellChange(boolean fails, String sentence) {
            if (fails != (stats.failure() != null)) {
                listener.accept(new BurstEvent(BurstEvent.Severity.WARN, Instant.now(), sentence));
            }
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
            notifyAll();
        }
        long end = System.nanoTime() + FAREWELL_MILLIS * 1_000_000;
        for (Asking each : asking) {
            try {
                each.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
            } catch (InterruptedException stillToBeSeenByTheCaller) {
                Thread.currentThread().interrupt();
            }
            each.interrupt();
        }
    }
}

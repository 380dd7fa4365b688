// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import io.burstlog.BurstEvent;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Asks each anchor for the newest head, in a thread for each, and keeps the answers. Thread-safe. */
final class Anchors implements AutoCloseable {

    private static final long FIRST_BACK_OFF_MILLIS = 1_000;
    private static final long LAST_BACK_OFF_MILLIS = 60_000;
    private static final long FAREWELL_MILLIS = 2_000;

    private final Disk disk;
    private final Consumer<BurstEvent> listener;
    private final List<Asking> asking = new ArrayList<>();
    private Checkpoint newest;
    private boolean isClosed;

    /** @param disk the archive's, for this object alone */
    Anchors(Disk disk, List<Anchor> anchors, Consumer<BurstEvent> listener) {
        this.disk = disk;
        this.listener = listener;
        anchors.forEach(each -> asking.add(new Asking(each)));
        asking.forEach(Thread::start);
    }

    /** Tells of a head that is durable. Returns at once. */
    synchronized void tell(Checkpoint head) {
        newest = head;
        notifyAll();
    }

    private synchronized Checkpoint await(long confirmed) throws InterruptedException {
        while (!isClosed && (newest == null || newest.size() <= confirmed)) {
            wait();
        }
        return isClosed ? null : newest;
    }

    private synchronized void rest(long millis) throws InterruptedException {
        if (!isClosed) {
            wait(millis);
        }
    }

    private synchronized void keep(String name, byte[] answer) throws IOException {
        String draft = name + ".tmp";
        disk.write(draft, answer);
        disk.sync(List.of(draft));
        disk.rename(draft, name);
        disk.sync(List.of(name));
    }

    private final class Asking extends Thread {

        private final Anchor anchor;
        private boolean isFailing;

        Asking(Anchor anchor) {
            super("burstlog-archive anchor " + anchor.name());
            this.anchor = anchor;
            setDaemon(true);
        }

        @Override
        public void run() {
            long confirmed = 0;
            long backOff = FIRST_BACK_OFF_MILLIS;
            try (anchor) {
                for (Checkpoint head = await(confirmed); head != null; head = await(confirmed)) {
                    try {
                        keep(Tiles.ANCHORS + "/" + anchor.name() + "/" + head.size(), anchor.confirm(head));
                        confirmed = head.size();
                        backOff = FIRST_BACK_OFF_MILLIS;
                        tellChange(false, "the anchor " + anchor.name() + " confirms heads of " + disk + " again");
                    } catch (IOException | RuntimeException failure) {
                        tellChange(
                                true,
                                "the anchor " + anchor.name() + " does not confirm the head of " + disk + " with "
                                        + head.size() + " leaves: " + failure.getMessage() + "; it is asked again");
                        rest(backOff);
                        backOff = Math.min(2 * backOff, LAST_BACK_OFF_MILLIS);
                    }
                }
            } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
            }
        }

        private void tellChange(boolean fails, String sentence) {
            if (fails != isFailing) {
                isFailing = fails;
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

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.bookkeeper.client.api.BKException;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteAdvHandle;

/**
 * The copy of a folder in ledgers of Apache BookKeeper. Each {@link #fence} ends the newest ledger, whoever wrote it;
 * the next block begins a new one, whose epoch is higher by one. Only one of several writers can make the ledger of an
 * epoch.
 */
final class Ledgers implements Copy {

    private static final int MOST_UNDER_WAY = 16;
    private static final long LOOK_MILLIS = 100;

    private final Map<String, String> properties;
    private final String folderId;
    private final String stream;
    private final Consumer<Block> acknowledging;
    private final String writer = UUID.randomUUID().toString();
    private Cluster cluster;

    /** The newest epoch that is known; 0 before the first {@link #fence}, and while the folder has no ledger. */
    private int epoch;

    private boolean isBegun;
    private WriteAdvHandle ledger;
    private long nextEntry;
    private Session session;

    /** The state of one ledger's blocks. Threads of the client write it. */
    private static final class Session {
        private final Semaphore places = new Semaphore(MOST_UNDER_WAY);
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private volatile long acknowledged;
    }

    /** @param acknowledging gets each acknowledged block, in order, in a thread of the client */
    Ledgers(Map<String, String> properties, String folderId, String stream, Consumer<Block> acknowledging) {
        this.properties = properties;
        this.folderId = folderId;
        this.stream = stream;
        this.acknowledging = acknowledging;
    }

    @Override
    public Block fence() throws IOException, FencedException, InterruptedException {
        close();
        cluster = new Cluster(properties);
        List<Long> ledgers = cluster.ledgers(folderId);
        int newest = ledgers.isEmpty() ? 0 : LedgerId.epoch(ledgers.get(ledgers.size() - 1));
        if (newest > 0) {
            requireOwn(newest);
        }
        epoch = newest;
        isBegun = true;
        Block last = null;
        for (int i = ledgers.size() - 1; i >= 0 && last == null; i--) {
            last = lastBlock(ledgers.get(i));
        }
        session = new Session();
        session.acknowledged = last == null ? 0 : last.last();
        return last;
    }

    /** A ledger that is newer than all that this copy has seen or made belongs to another writer. */
    private void requireOwn(int newest) throws IOException, FencedException, InterruptedException {
        long id = LedgerId.of(folderId, newest);
        LedgerNote note = cluster.note(id);
        note.requireOf(folderId, id);
        if (note.kind() == LedgerNote.Kind.TAKEN) {
            throw new RefusedException(
                    "its records were recovered on another host, which took it over by ledger " + id);
        }
        if (isBegun && newest > epoch && !note.writer().equals(writer)) {
            throw new FencedException("ledger " + id + " is another one's");
        }
    }

    private Block lastBlock(long id) throws IOException, InterruptedException {
        cluster.note(id).requireOf(folderId, id);
        ReadHandle handle = cluster.open(id, true);
        try {
            Block[] last = new Block[1];
            Cluster.read(handle, Math.max(0, handle.getLastAddConfirmed()), folderId, block -> last[0] = block);
            return last[0];
        } finally {
            Cluster.close(handle);
        }
    }

    @Override
    public void send(Block block) throws IOException, FencedException, InterruptedException {
        acknowledged();
        if (ledger == null) {
            begin(block);
        }
        while (!session.places.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
            acknowledged();
        }
        Session own = session;
        ledger.writeAsync(nextEntry++, block.bytes()).whenComplete((entry, failure) -> {
            if (failure != null) {
                own.failure.compareAndSet(null, failure);
            } else if (own.failure.get() == null) {
                own.acknowledged = block.last();
                acknowledging.accept(block);
            }
            own.places.release();
        });
    }

    private void begin(Block first) throws IOException, FencedException, InterruptedException {
        if (epoch == LedgerId.LAST_EPOCH) {
            throw new RefusedException("it has had " + epoch + " ledgers: move the folder away and begin a new one");
        }
        long before = epoch == 0 ? 0 : LedgerId.of(folderId, epoch);
        long id = LedgerId.of(folderId, epoch + 1);
        WriteAdvHandle made = cluster.create(
                id,
                new LedgerNote(LedgerNote.Kind.COPY, folderId, stream, first.ring(), first.first(), before, writer));
        if (made == null) {
            throw new FencedException("ledger " + id + " was made by another one");
        }
        epoch++;
        ledger = made;
        nextEntry = 0;
    }

    @Override
    public long acknowledged() throws IOException, FencedException {
        Throwable failure = session.failure.get();
        if (failure == null) {
            return session.acknowledged;
        }
        if (Cluster.code(failure) == BKException.Code.LedgerFencedException) {
            throw new FencedException("ledger " + ledger.getId() + " was fenced");
        }
        throw Cluster.failed("ledger " + ledger.getId() + " takes no block", failure);
    }

    @Override
    public void readBack(Consumer<Block> reader) throws IOException, InterruptedException {
        for (long id : cluster.ledgers(folderId)) {
            if (cluster.note(id).kind() == LedgerNote.Kind.COPY) {
                ReadHandle handle = cluster.open(id, false);
                try {
                    Cluster.read(handle, 0, folderId, reader::accept);
                } finally {
                    Cluster.close(handle);
                }
            }
        }
    }

    @Override
    public void close() {
        try {
            if (ledger != null) {
                Cluster.close(ledger);
            }
        } catch (InterruptedException stillToBeSeenByTheCaller) {
            Thread.currentThread().interrupt();
        }
        ledger = null;
        if (cluster != null) {
            cluster.close();
            cluster = null;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.copy.CopyBlock;
import io.burstlog.copy.CopyPlace;
import io.burstlog.copy.CopyStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteAdvHandle;

/**
 * The copy of a ring in ledgers of Apache BookKeeper: an acknowledged block is on the disks of two bookies.
 *
 * <pre>{@code
 * Map<String, String> properties =
 *         Map.of("metadataServiceUri", "zk+hierarchical://zk-1:2181;zk-2:2181/ledgers");
 * CopyStore store = new BookKeeperStore(ringId, properties);
 * }</pre>
 *
 * <p>Each {@link #fence} ends the newest ledger, whoever wrote it, and begins one whose epoch is higher by one. Only
 * one of several writers can make the ledger of an epoch. One entry has one block.
 *
 * <p>One thread calls it. The threads of BookKeeper's client are no daemons: so {@link #check} lets the client go when
 * nothing else keeps the JVM alive, and {@link #send} opens another one if the end of the application has records.
 */
public final class BookKeeperStore implements CopyStore {

    private static final int COPIES = 2;
    private static final int MOST_UNDER_WAY = 16;
    private static final long LOOK_MILLIS = 100;

    /** A ledger ends behind so many bytes, so that old ones can be deleted while the copier runs. */
    private static final long LEDGER_BYTES = 1L << 30;

    private final String ringId;
    private final Map<String, String> properties;
    private final long ledgerBytes;
    private final String writer = UUID.randomUUID().toString();
    private Cluster cluster;

    /** The newest epoch that this store has seen or made; 0 before the first {@link #fence}. */
    private int epoch;

    /** Whether it has made a ledger. */
    private boolean hasBegun;

    private WriteAdvHandle ledger;
    private int bookies;
    private long nextEntry;
    private long bytesInLedger;
    private Session session = new Session();
    private long looked;

    /** The state of one ledger's blocks. Threads of the client write it. */
    private static final class Session {
        private final Semaphore places = new Semaphore(MOST_UNDER_WAY);
        private final AtomicReference<Throwable> failure = new AtomicReference<>();

        boolean isIdle() {
            return places.availablePermits() == MOST_UNDER_WAY;
        }
    }

    /**
     * Makes the store of a ring's copy. It reaches out for nothing yet.
     *
     * @param ringId the id of the ring, 32 hexadecimal digits
     * @param properties those of BookKeeper's client; {@code metadataServiceUri} is required
     * @throws io.burstlog.BurstException with code {@link io.burstlog.BurstException.Code#INVALID_ARGUMENT}: a sentence
     *     about a property that is wrong
     */
    public BookKeeperStore(String ringId, Map<String, String> properties) {
        this(ringId, properties, LEDGER_BYTES);
    }

    BookKeeperStore(String ringId, Map<String, String> properties, long ledgerBytes) {
        Cluster.configuration(properties);
        this.ringId = ringId;
        this.properties = Map.copyOf(properties);
        this.ledgerBytes = ledgerBytes;
    }

    private Cluster cluster() throws IOException, InterruptedException {
        if (cluster == null) {
            cluster = new Cluster(properties);
        }
        return cluster;
    }

    @Override
    public CopyBlock fence() throws IOException, FencedException, InterruptedException {
        close();
        try {
            return fenced();
        } catch (IOException later) {
            close(); // threads of the client keep the JVM alive
            throw later;
        }
    }

    private CopyBlock fenced() throws IOException, FencedException, InterruptedException {
        List<Long> ledgers = cluster().ledgers(ringId);
        int newest = ledgers.isEmpty() ? 0 : LedgerId.epoch(ledgers.get(ledgers.size() - 1));
        if (newest > 0) {
            requireOwn(newest);
        }
        epoch = newest;
        CopyBlock last = null;
        for (int i = ledgers.size() - 1; i >= 0 && last == null; i--) {
            last = lastBlock(ledgers.get(i));
        }
        try {
            begin();
        } catch (FencedException another) {
            if (hasBegun) {
                throw another;
            }
            throw new IOException(another.getMessage(), another); // it went on to its next ledger meanwhile
        }
        return last;
    }

    /** A ledger that is newer than all that this store has seen or made belongs to another writer. */
    private void requireOwn(int newest) throws IOException, FencedException, InterruptedException {
        long id = LedgerId.of(ringId, newest);
        LedgerNote note = cluster.note(id).requireOf(ringId, id);
        if (note.kind() == LedgerNote.Kind.TAKEN) {
            throw new RefusedException("its records were recovered elsewhere, and ledger " + id
                    + " says so: the ring has no copy any more. Move it away and begin a new one");
        }
        if (hasBegun && newest > epoch && !note.writer().equals(writer)) {
            throw new FencedException("ledger " + id + " was made by another one");
        }
    }

    private CopyBlock lastBlock(long id) throws IOException, InterruptedException {
        cluster.note(id).requireOf(ringId, id);
        ReadHandle handle = cluster.open(id, true);
        try {
            CopyBlock[] last = new CopyBlock[1];
            Cluster.read(handle, Math.max(0, handle.getLastAddConfirmed()), ringId, block -> last[0] = block);
            return last[0];
        } finally {
            Cluster.close(handle);
        }
    }

    /** With two bookies the ledger has these two: a block is on both. It stops when one of them dies. */
    private void begin() throws IOException, FencedException, InterruptedException {
        if (epoch == LedgerId.LAST_EPOCH) {
            throw new RefusedException("it has had " + epoch + " ledgers: move the ring away and begin a new one");
        }
        long id = LedgerId.of(ringId, epoch + 1);
        LedgerNote note = new LedgerNote(LedgerNote.Kind.COPY, ringId, writer);
        bookies = COPIES + 1;
        ledger = cluster.create(id, note, bookies, COPIES);
        if (ledger == null) {
            bookies = COPIES;
            ledger = cluster.create(id, note, bookies, COPIES);
        }
        if (ledger == null) {
            throw new IOException("ledger " + id + " cannot be made: fewer than two bookies are there");
        }
        epoch++;
        hasBegun = true;
        nextEntry = 0;
        bytesInLedger = 0;
        session = new Session();
    }

    @Override
    public void send(CopyBlock block, Runnable acknowledged) throws IOException, FencedException, InterruptedException {
        requireNoFailure();
        if (ledger == null) {
            // Its ledger has ended in good order: the next one follows.
            ClientThreads.awaitEndOfApplication();
            cluster();
            begin();
        }
        byte[] bytes = block.bytes();
        if (bytes.length > cluster.mostEntryBytes()) {
            throw new RefusedException("a block of " + bytes.length + " bytes, from sequence " + block.firstSequence()
                    + " on, is longer than the entries of a bookie, which have " + cluster.mostEntryBytes()
                    + " at most: raise nettyMaxFrameSizeBytes in the bookies and here");
        }
        if (bytesInLedger >= ledgerBytes) {
            awaitPlaces(MOST_UNDER_WAY);
            Cluster.close(ledger);
            begin();
        }
        awaitPlaces(1);
        bytesInLedger += bytes.length;
        Session own = session;
        ledger.writeAsync(nextEntry++, bytes).whenComplete((entry, failure) -> {
            try {
                if (failure != null) {
                    own.failure.compareAndSet(null, failure);
                } else if (own.failure.get() == null) {
                    acknowledged.run();
                }
            } finally {
                own.places.release();
            }
        });
    }

    private void awaitPlaces(int count) throws IOException, FencedException, InterruptedException {
        while (!session.places.tryAcquire(count, LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
            requireNoFailure();
        }
        requireNoFailure();
    }

    @Override
    public void check() throws IOException, FencedException {
        requireNoFailure();
        long now = System.nanoTime();
        if (ledger != null && now - looked > TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS)) {
            looked = now;
            if (session.isIdle() && ClientThreads.keepTheJvmAlive()) {
                close();
            }
        }
    }

    private void requireNoFailure() throws IOException, FencedException {
        Throwable failure = session.failure.get();
        if (failure == null) {
            return;
        }
        long id = LedgerId.of(ringId, epoch);
        // BookKeeper's autorecovery fences a ledger that lacks a bookie, too: fence() finds out whether a writer did
        // it.
        throw Cluster.failed("ledger " + id + " takes no block", failure);
    }

    @Override
    public void readBack(Reader reader) throws IOException, InterruptedException {
        for (long id : cluster().ledgers(ringId)) {
            if (cluster.note(id).requireOf(ringId, id).kind() == LedgerNote.Kind.COPY) {
                ReadHandle handle = cluster.open(id, false);
                try {
                    Cluster.read(handle, 0, ringId, reader);
                } finally {
                    Cluster.close(handle);
                }
            }
        }
    }

    /**
     * Keeps every writer of this ring's copy from adding a block, for good. A ledger of the next epoch, without an
     * entry, says so: no writer begins again. Then each ledger is fenced, so that a writer that still runs ends.
     *
     * @throws IOException also if the ring has no ledger
     */
    void takeOver() throws IOException, InterruptedException {
        List<Long> ledgers;
        do {
            ledgers = cluster().ledgers(ringId);
            if (ledgers.isEmpty()) {
                throw new IOException("there is no ledger of ring " + ringId);
            }
        } while (!isTaken(ledgers.get(ledgers.size() - 1)));
        // The newest first: from then on a writer can add nothing.
        for (int i = ledgers.size() - 1; i >= 0; i--) {
            Cluster.close(cluster.open(ledgers.get(i), true));
        }
    }

    /** {@return whether no writer was faster} */
    private boolean isTaken(long newest) throws IOException, InterruptedException {
        if (cluster.note(newest).requireOf(ringId, newest).kind() == LedgerNote.Kind.TAKEN) {
            return true;
        }
        WriteAdvHandle taken;
        try {
            taken = cluster.create(newest + 1, new LedgerNote(LedgerNote.Kind.TAKEN, ringId, writer), 1, 1);
        } catch (FencedException another) {
            return false;
        }
        if (taken == null) {
            throw new IOException("ledger " + (newest + 1) + " cannot be made: no bookie is there");
        }
        Cluster.close(taken);
        return true;
    }

    @Override
    public CopyPlace place() {
        return new CopyPlace(CopyPlace.Medium.DISK, COPIES, bookies, "bookies");
    }

    @Override
    public int mostBlockBytes() {
        return cluster.mostEntryBytes();
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

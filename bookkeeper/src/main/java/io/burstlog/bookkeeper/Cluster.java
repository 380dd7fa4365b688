// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.BurstException;
import io.burstlog.copy.CopyBlock;
import io.burstlog.copy.CopyStore;
import io.burstlog.copy.CopyStore.FencedException;
import io.burstlog.copy.CopyStore.RefusedException;
import io.github.merlimat.slog.Logger;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.bookkeeper.client.api.BKException;
import org.apache.bookkeeper.client.api.BookKeeper;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.LedgersIterator;
import org.apache.bookkeeper.client.api.ListLedgersResult;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteAdvHandle;
import org.apache.bookkeeper.conf.ClientConfiguration;

/** BookKeeper's client, and the ledgers of rings. Thread-safe. */
final class Cluster implements AutoCloseable {

    static final String URI = "metadataServiceUri";

    private static final byte[] NO_PASSWORD = {};
    private static final int ENTRIES_AT_ONCE = 8;
    private static final long PATIENCE_SECONDS = 60;
    private static final long FAREWELL_SECONDS = 3;

    /** A frame has an entry, its digest and the head of the request. */
    private static final int FRAME_HEAD_BYTES = 1024;

    private final BookKeeper client;
    private final int mostEntryBytes;

    /** @param properties BookKeeper's own, of its client */
    Cluster(Map<String, String> properties) throws IOException, InterruptedException {
        ClientConfiguration configuration = configuration(properties);
        mostEntryBytes = configuration.getNettyMaxFrameSizeBytes() - FRAME_HEAD_BYTES;
        try {
            client = BookKeeper.newBuilder(configuration).build();
        } catch (BKException | IOException failure) {
            throw failed("the metadata store " + properties.get(URI) + " does not answer", failure);
        }
    }

    /**
     * One of three bookies that dies does not end a ledger, unless the user says so.
     *
     * @throws BurstException a sentence about a property that is wrong
     */
    static ClientConfiguration configuration(Map<String, String> properties) {
        String uri = properties.getOrDefault(URI, "");
        if (!uri.matches("[a-z+]+://[^/]+/.+")) {
            throw new BurstException(
                    BurstException.Code.INVALID_ARGUMENT,
                    (uri.isBlank() ? URI + " is missing" : URI + "=\"" + uri + "\" cannot be used")
                            + "; set it to zk+hierarchical://HOST:PORT/ledgers, as the bookies have it.");
        }
        ClientConfiguration configuration = new ClientConfiguration();
        configuration.setDelayEnsembleChange(true);
        properties.forEach(configuration::setProperty);
        return configuration;
    }

    /**
     * Asks for a logger before the client does. When Log4j's shutdown hook has run, Log4j refuses the first one that
     * anybody asks for, and gives the next. The client asks for one with each ledger, on the thread that has the answer
     * of the metadata store: a refusal there would lose the answer.
     */
    private static void takeRefusalOfLogger() {
        try {
            Logger.get(Cluster.class);
        } catch (RuntimeException refused) {
            // The client gets its own.
        }
    }

    /** {@return the bytes of the longest entry that a bookie takes} */
    int mostEntryBytes() {
        return mostEntryBytes;
    }

    static IOException failed(String what, Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return new IOException(what + " (" + (cause.getMessage() == null ? cause : cause.getMessage()) + ")", cause);
    }

    /** {@return the code of BookKeeper's own exception; 0 for any other} */
    static int code(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BKException) {
                return ((BKException) cause).getCode();
            }
        }
        return 0;
    }

    private static <T> T await(CompletableFuture<T> answer, String what) throws IOException, InterruptedException {
        try {
            return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            throw failed(what, failure);
        } catch (TimeoutException late) {
            throw new IOException(what + " (no answer for " + PATIENCE_SECONDS + " s)", late);
        }
    }

    /**
     * Finds the ledgers by their ids alone.
     *
     * @param ringId null: of all rings
     * @return their ids, by their epochs
     */
    List<Long> ledgers(String ringId) throws IOException, InterruptedException {
        List<Long> found = new ArrayList<>();
        try (ListLedgersResult all = await(client.newListLedgersOp().execute(), "the ledgers cannot be listed")) {
            for (LedgersIterator each = all.iterator(); each.hasNext(); ) {
                long ledger = each.next();
                if (ringId == null ? LedgerId.isOurs(ledger) : LedgerId.isOf(ledger, ringId)) {
                    found.add(ledger);
                }
            }
        } catch (IOException | InterruptedException failure) {
            throw failure;
        } catch (Exception failure) {
            throw failed("the ledgers cannot be listed", failure);
        }
        found.sort(null);
        return found;
    }

    LedgerNote note(long ledger) throws IOException, InterruptedException {
        return LedgerNote.of(
                ledger,
                await(client.getLedgerMetadata(ledger), "ledger " + ledger + " cannot be looked up")
                        .getCustomMetadata());
    }

    /**
     * Makes a ledger.
     *
     * @param bookies how many have it
     * @param acknowledging how many of them must have an entry on disk before it is acknowledged
     * @return null if there are not so many bookies
     * @throws FencedException if another one has made it
     * @throws IOException also if the note's writer has made it before
     */
    WriteAdvHandle create(long ledger, LedgerNote note, int bookies, int acknowledging)
            throws IOException, FencedException, InterruptedException {
        takeRefusalOfLogger();
        try {
            return await(
                    client.newCreateLedgerOp()
                            .withEnsembleSize(bookies)
                            .withWriteQuorumSize(bookies)
                            .withAckQuorumSize(acknowledging)
                            .withDigestType(DigestType.CRC32C)
                            .withPassword(NO_PASSWORD)
                            .withCustomMetadata(note.toMetadata())
                            .makeAdv()
                            .withLedgerId(ledger)
                            .execute(),
                    "ledger " + ledger + " cannot be made");
        } catch (IOException failure) {
            int code = code(failure);
            if (code == BKException.Code.NotEnoughBookiesException) {
                return null;
            }
            if (code == BKException.Code.LedgerExistException
                    && !note(ledger).writer().equals(note.writer())) {
                throw new FencedException("ledger " + ledger + " was made by another one");
            }
            throw failure;
        }
    }

    /**
     * Opens a ledger to read it.
     *
     * @param fences whether its writer is kept from writing on
     */
    ReadHandle open(long ledger, boolean fences) throws IOException, InterruptedException {
        takeRefusalOfLogger();
        return await(
                client.newOpenLedgerOp()
                        .withLedgerId(ledger)
                        .withRecovery(fences)
                        .withDigestType(DigestType.CRC32C)
                        .withPassword(NO_PASSWORD)
                        .execute(),
                "ledger " + ledger + " cannot be opened");
    }

    /**
     * Reads the blocks of a ledger from an entry on. One that has a writer is read beyond what the bookies know to be
     * acknowledged, since they learn that by the next entry only: as far as one of them that answers has an entry.
     */
    static void read(ReadHandle ledger, long from, String ringId, CopyStore.Reader reader)
            throws IOException, InterruptedException {
        long confirmed = ledger.getLastAddConfirmed();
        for (long entry = from; entry <= confirmed; entry += ENTRIES_AT_ONCE) {
            long last = Math.min(confirmed, entry + ENTRIES_AT_ONCE - 1);
            read(ledger.readAsync(entry, last), entry, ledger, ringId, reader);
        }
        try {
            for (long entry = Math.max(from, confirmed + 1); !ledger.isClosed(); entry++) {
                read(ledger.readUnconfirmedAsync(entry, entry), entry, ledger, ringId, reader);
            }
        } catch (IOException end) {
            if (code(end) == 0) {
                throw end;
            }
        }
    }

    private static void read(
            CompletableFuture<LedgerEntries> answer,
            long first,
            ReadHandle ledger,
            String ringId,
            CopyStore.Reader reader)
            throws IOException, InterruptedException {
        try (LedgerEntries entries =
                await(answer, "ledger " + ledger.getId() + " cannot be read from entry " + first + " on")) {
            for (LedgerEntry each : entries) {
                reader.block(block(each, ringId));
            }
        }
    }

    private static CopyBlock block(LedgerEntry entry, String ringId) throws IOException {
        String place = "entry " + entry.getEntryId() + " of ledger " + entry.getLedgerId();
        CopyBlock block = CopyBlock.read(entry.getEntryNioBuffer(), place);
        if (!block.ring().equals(ringId)) {
            throw new RefusedException(place + " is of ring " + block.ring() + ", and not of ring " + ringId);
        }
        return block;
    }

    /** Lets go of a ledger. One that was open for writing ends in good order, if bookies and metadata store answer. */
    static void close(ReadHandle ledger) throws InterruptedException {
        try {
            ledger.closeAsync().get(FAREWELL_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException left) {
            // The next open ends it.
        }
    }

    /**
     * Lets go of the client, in a thread that nobody interrupts: else the client's close would end halfway and could
     * not be repeated, and the threads that it left would keep the JVM alive. A caller that is interrupted does not
     * wait.
     */
    @Override
    public void close() {
        Thread closing = new Thread(this::closeClient, "burstlog-copier-close");
        closing.start();
        try {
            closing.join();
        } catch (InterruptedException stillToBeSeenByTheCaller) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeClient() {
        try {
            client.close();
        } catch (BKException | InterruptedException left) {
            // It holds nothing that others wait for.
        }
    }
}

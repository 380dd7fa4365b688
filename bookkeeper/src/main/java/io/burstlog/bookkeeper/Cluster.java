// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

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

/** BookKeeper's client, and the ledgers of folders. Thread-safe. */
final class Cluster implements AutoCloseable {

    /** A block is on the disks of two of three bookies when it is acknowledged. */
    private static final int BOOKIES = 3;

    private static final int ACKNOWLEDGING = 2;

    private static final byte[] NO_PASSWORD = {};
    private static final int ENTRIES_AT_ONCE = 8;
    private static final long PATIENCE_SECONDS = 60;
    private static final long FAREWELL_SECONDS = 3;

    private final BookKeeper client;

    /** @param properties BookKeeper's own, of its client */
    Cluster(Map<String, String> properties) throws IOException, InterruptedException {
        try {
            client = BookKeeper.newBuilder(configuration(properties)).build();
        } catch (BKException failure) {
            throw failed("the metadata store " + properties.get("metadataServiceUri") + " does not answer", failure);
        }
    }

    /** One of three bookies that dies does not end a ledger, unless the user says so. */
    static ClientConfiguration configuration(Map<String, String> properties) {
        ClientConfiguration configuration = new ClientConfiguration();
        configuration.setDelayEnsembleChange(true);
        properties.forEach(configuration::setProperty);
        return configuration;
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
     * @param folderId null: of all folders
     * @return their ids, by their epochs
     */
    List<Long> ledgers(String folderId) throws IOException, InterruptedException {
        List<Long> found = new ArrayList<>();
        try (ListLedgersResult all = await(client.newListLedgersOp().execute(), "the ledgers cannot be listed")) {
            for (LedgersIterator each = all.iterator(); each.hasNext(); ) {
                long ledger = each.next();
                if (folderId == null ? LedgerId.isOurs(ledger) : LedgerId.isOf(ledger, folderId)) {
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
     * @return null if it is there already
     */
    WriteAdvHandle create(long ledger, LedgerNote note) throws IOException, InterruptedException {
        boolean isCopy = note.kind() == LedgerNote.Kind.COPY;
        try {
            return await(
                    client.newCreateLedgerOp()
                            .withEnsembleSize(isCopy ? BOOKIES : 1)
                            .withWriteQuorumSize(isCopy ? BOOKIES : 1)
                            .withAckQuorumSize(isCopy ? ACKNOWLEDGING : 1)
                            .withDigestType(DigestType.CRC32C)
                            .withPassword(NO_PASSWORD)
                            .withCustomMetadata(note.toMetadata())
                            .makeAdv()
                            .withLedgerId(ledger)
                            .execute(),
                    "ledger " + ledger + " cannot be made");
        } catch (IOException failure) {
            if (code(failure) == BKException.Code.LedgerExistException) {
                return null;
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
        return await(
                client.newOpenLedgerOp()
                        .withLedgerId(ledger)
                        .withRecovery(fences)
                        .withDigestType(DigestType.CRC32C)
                        .withPassword(NO_PASSWORD)
                        .execute(),
                "ledger " + ledger + " cannot be opened");
    }

    /** Reads the blocks of an open ledger from an entry on. */
    static void read(ReadHandle ledger, long from, String folderId, Recovery.Reader reader)
            throws IOException, InterruptedException {
        long end = ledger.getLastAddConfirmed();
        for (long entry = from; entry <= end; entry += ENTRIES_AT_ONCE) {
            long last = Math.min(end, entry + ENTRIES_AT_ONCE - 1);
            try (LedgerEntries entries = await(
                    ledger.readAsync(entry, last),
                    "entries " + entry + " to " + last + " of ledger " + ledger.getId() + " cannot be read")) {
                for (LedgerEntry each : entries) {
                    reader.block(Block.read(
                            each.getEntryBytes(),
                            folderId,
                            "entry " + each.getEntryId() + " of ledger " + ledger.getId()));
                }
            }
        }
    }

    /** Lets go of a ledger. One that was open for writing ends in good order, if bookies and metadata store answer. */
    static void close(ReadHandle ledger) throws InterruptedException {
        try {
            ledger.closeAsync().get(FAREWELL_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException left) {
            // The next open ends it.
        }
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (BKException left) {
            // It holds nothing that others wait for.
        } catch (InterruptedException stillToBeSeenByTheCaller) {
            Thread.currentThread().interrupt();
        }
    }
}

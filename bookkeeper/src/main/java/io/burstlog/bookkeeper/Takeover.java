// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.ConsumedRecords.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteAdvHandle;

/**
 * Takes the records of a folder over whose host is gone. A ledger of the next epoch, without an entry, says so: no
 * copier of the folder begins again. Then each ledger is fenced, so that a copier that still runs ends, and is read.
 */
final class Takeover {

    private final Cluster cluster;
    private final String folderId;
    private final List<Long> ledgers;

    /** A ledger that is read from its bookies. */
    private record Source(Cluster cluster, long ledger, LedgerNote note) implements Recovery.Source {
        @Override
        public void read(Recovery.Reader reader) throws IOException, InterruptedException {
            ReadHandle handle = cluster.open(ledger, true);
            try {
                Cluster.read(handle, 0, note.folder(), reader);
            } finally {
                Cluster.close(handle);
            }
        }
    }

    /** The outcome of a recovery. */
    static final class Report {
        private final List<String> findings = new ArrayList<>();
        private long records;
        private long last;

        /** {@return sentences about what is not there; empty if nothing is missing} */
        List<String> findings() {
            return findings;
        }

        long records() {
            return records;
        }

        /** {@return the number of the last record; 0: there was none} */
        long last() {
            return last;
        }
    }

    private Takeover(Cluster cluster, String folderId, List<Long> ledgers) {
        this.cluster = cluster;
        this.folderId = folderId;
        this.ledgers = ledgers;
    }

    /** Keeps every copier of the folder from beginning a ledger from now on. */
    static Takeover of(Cluster cluster, String folderId) throws IOException, InterruptedException {
        while (true) {
            List<Long> ledgers = cluster.ledgers(folderId);
            if (ledgers.isEmpty()) {
                throw new IOException("there is no ledger of folder " + folderId);
            }
            long newest = ledgers.get(ledgers.size() - 1);
            LedgerNote note = cluster.note(newest);
            note.requireOf(folderId, newest);
            if (note.kind() == LedgerNote.Kind.TAKEN || take(cluster, note, newest)) {
                return new Takeover(cluster, folderId, ledgers);
            }
        }
    }

    /** {@return whether no copier was faster} */
    private static boolean take(Cluster cluster, LedgerNote of, long newest) throws IOException, InterruptedException {
        LedgerNote note = new LedgerNote(
                LedgerNote.Kind.TAKEN,
                of.folder(),
                of.stream(),
                "",
                0,
                newest,
                UUID.randomUUID().toString());
        WriteAdvHandle taken = cluster.create(LedgerId.of(of.folder(), LedgerId.epoch(newest) + 1), note);
        if (taken != null) {
            Cluster.close(taken);
        }
        return taken != null;
    }

    /**
     * Writes the payloads of all records into a new file, one behind the other, and syncs it.
     *
     * @throws IOException also if the file is there already
     */
    Report to(Path file) throws IOException, InterruptedException {
        List<Source> chain = new ArrayList<>();
        for (long each : ledgers) {
            LedgerNote note = cluster.note(each);
            note.requireOf(folderId, each);
            chain.add(new Source(cluster, each, note));
        }
        // The newest first: from then on the copier can add nothing.
        for (int i = chain.size() - 1; i >= 0; i--) {
            Cluster.close(cluster.open(chain.get(i).ledger(), true));
        }
        Report report = new Report();
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            report.last = Recovery.run(chain, new Recovery.Sink() {
                @Override
                public void record(Block.Entry record) throws IOException {
                    if (record.kind() == Kind.RECORD) {
                        report.records++;
                        write(out, record.data().duplicate());
                    } else if (record.kind() != Kind.ROLL) {
                        report.findings.add(record.count() + " records are missing up to number " + record.number()
                                + ": they were " + (record.kind() == Kind.LOST ? "lost with the ring" : "deleted")
                                + " before they were copied");
                    }
                }

                @Override
                public void gap(long first, long last) {
                    report.findings.add("no ledger has the records with numbers " + first + " to " + last);
                }
            });
            out.force(true);
        }
        return report;
    }

    private static void write(FileChannel out, ByteBuffer data) throws IOException {
        while (data.hasRemaining()) {
            out.write(data);
        }
    }
}

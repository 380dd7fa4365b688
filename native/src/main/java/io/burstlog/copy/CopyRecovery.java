// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Puts the blocks of a copy together: each record once, in the order of the ring, without those that a later mark has
 * declared void. It reads the store twice, and fences nobody: a copy that is to be complete is fenced before.
 *
 * <p>Not thread-safe.
 */
public final class CopyRecovery {

    private final CopyStore store;
    private final long from;

    /**
     * The outcome.
     *
     * @param summary sentences about what was found, without a full stop
     * @param findings sentences about what is missing or differs; empty if nothing is
     */
    public record Report(List<String> summary, List<String> findings) {}

    /** Gets the records of a copy. */
    interface Sink {

        /** Gets the next record. */
        void record(CopyBlock.Record record) throws IOException;

        /** Hears that the copy lacks all records from one sequence to another. */
        void gap(long first, long last);
    }

    private CopyRecovery(CopyStore store, long from) {
        this.store = store;
        this.from = from;
    }

    /**
     * Makes the recovery of a copy.
     *
     * @param store what keeps it; the caller closes it
     * @return the recovery
     */
    public static CopyRecovery of(CopyStore store) {
        return new CopyRecovery(store, 1);
    }

    /**
     * Makes the recovery of the later records of a copy, for instance of those that a topic had not got yet.
     *
     * @param sequence the first sequence to recover, from 1 on
     * @return the recovery
     */
    public CopyRecovery from(long sequence) {
        return new CopyRecovery(store, sequence);
    }

    /** Reads the records from the first wanted one on. */
    void read(Sink sink) throws IOException, InterruptedException {
        List<Long> ends = ends();
        long[] at = {0, from - 1, 0}; // the place of the block, the last record, and where the last mark goes on
        boolean[] begun = {from > 1};
        store.readBack(block -> {
            int place = (int) at[0]++;
            long end = place < ends.size() ? ends.get(place) : Long.MAX_VALUE;
            at[2] = block.isMark() ? block.firstSequence() : at[2];
            if (block.isMark() || block.firstSequence() >= end || block.lastSequence() <= at[1]) {
                return;
            }
            for (CopyBlock.Record each : block.records()) {
                if (each.sequence() < end && each.sequence() > at[1]) {
                    if (begun[0] && each.sequence() > at[1] + 1) {
                        sink.gap(at[1] + 1, each.sequence() - 1);
                    }
                    sink.record(each);
                    at[1] = each.sequence();
                    begun[0] = true;
                }
            }
        });
        if (begun[0] && at[2] > at[1] + 1) {
            sink.gap(at[1] + 1, at[2] - 1);
        }
    }

    static String lacks(long first, long last) {
        return "the copy lacks the records " + first + " to " + last;
    }

    /** {@return for each block that a mark follows: the sequence from which on its records are void} */
    private List<Long> ends() throws IOException, InterruptedException {
        List<Long> ends = new ArrayList<>();
        int[] blocks = new int[1];
        store.readBack(block -> {
            blocks[0]++;
            if (block.isMark()) {
                while (ends.size() < blocks[0]) {
                    ends.add(Long.MAX_VALUE);
                }
                for (int i = ends.size() - 1; i >= 0 && ends.get(i) > block.firstSequence(); i--) {
                    ends.set(i, block.firstSequence());
                }
            }
        });
        return ends;
    }

    /**
     * Writes the payloads of each stream to a new file of its own, one behind the other, and syncs the files. On return
     * they are durable.
     *
     * @param folder it is made if it is not there, in a folder that is there; the files have the names of the streams
     * @return what was written, and what the copy lacks
     * @throws IOException also if a file is there already, or a stored block is damaged
     * @throws InterruptedException if the thread was interrupted
     */
    public Report to(Path folder) throws IOException, InterruptedException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectory(folder);
        }
        CopyFiles files = new CopyFiles(folder);
        try (files) {
            read(files);
            files.sync();
        }
        for (Path each : List.of(folder, folder.toAbsolutePath().getParent())) {
            try (FileChannel names = FileChannel.open(each)) {
                names.force(true);
            }
        }
        return files.report();
    }

    /**
     * Appends each record to its stream in a ring, with its event time and with a new sequence. On return they are
     * durable there, as far as the ring's medium goes. The ring moves them to the log files, and to the segments that
     * are named here; its next open does so with what is left. Rolls are left out.
     *
     * @param ring a new file, or a ring without records, as {@code burstlog format} makes it
     * @param files the paths of log files by the names of their streams: required for streams that have a name. Others
     *     have the path that they had, unless there is one here
     * @param segments the folders of segments by the names of their streams, as the application will have them
     * @return what the ring got, and what the copy lacks
     * @throws IOException also if the ring has had records
     * @throws InterruptedException if the thread was interrupted
     * @throws IllegalArgumentException if a stream has no path; nothing was written
     * @throws io.burstlog.BurstException if the ring cannot be opened or written
     */
    public Report into(Path ring, Map<String, String> files, Map<String, String> segments)
            throws IOException, InterruptedException {
        CopyRing target = new CopyRing(ring, files, segments);
        read(target.sizes());
        try (target) {
            target.open();
            read(target);
            return target.finish();
        }
    }

    /**
     * Compares the records of a stream with its log file. The file may have fewer records at its end, which it has not
     * got yet, and at its beginning, which an older file has. It may begin with a header of up to 64 kB, which is told.
     *
     * @param file the log file, as its layout wrote it; up to 2 GB
     * @param stream its name in the copy; null if the copy has one stream only
     * @return how many records are in both, and where they differ
     * @throws IOException also if the copy has no such stream, or several and none is named
     * @throws InterruptedException if the thread was interrupted
     */
    public Report compare(Path file, String stream) throws IOException, InterruptedException {
        CopyComparison comparison = new CopyComparison(file, stream, 0);
        read(comparison);
        CopyHeader header = comparison.header();
        if (header != null) {
            read(header);
            CopyComparison behindHeader = new CopyComparison(file, stream, header.bytes());
            read(behindHeader);
            comparison = behindHeader.same() > comparison.same() ? behindHeader : comparison;
        }
        return comparison.report();
    }
}

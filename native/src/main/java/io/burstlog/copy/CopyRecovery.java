// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import io.burstlog.BurstException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Puts the blocks of a copy together: each record once, in the order of the ring, without those that a later mark has
 * declared void. It reads the store several times, and fences nobody: a copy that is to be complete is fenced before.
 *
 * <p>Not thread-safe.
 */
public final class CopyRecovery {

    private final CopyStore store;
    private final long from;
    private final Map<String, Long> fromOfStreams;

    /** The marks of a copy, and what else one reading of all its blocks tells. */
    private record Marks(List<Long> ends, int blocks, Set<String> streams) {}

    private Marks marks;

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

    private CopyRecovery(CopyStore store, long from, Map<String, Long> fromOfStreams) {
        this.store = store;
        this.from = from;
        this.fromOfStreams = Map.copyOf(fromOfStreams);
    }

    /**
     * Makes the recovery of a copy.
     *
     * @param store what keeps it; the caller closes it
     * @return the recovery
     */
    public static CopyRecovery of(CopyStore store) {
        return new CopyRecovery(store, 1, Map.of());
    }

    /**
     * Makes the recovery of the later records of a copy, for instance of those that a topic had not got yet.
     *
     * @param sequence the first sequence to recover, from 1 on
     * @return the recovery
     */
    public CopyRecovery from(long sequence) {
        return new CopyRecovery(store, sequence, Map.of());
    }

    /**
     * Makes the recovery of the later records of some streams of a copy, and of all records of others.
     *
     * @param sequences the first sequences to recover, from 1 on, by the names of the streams
     * @return the recovery
     */
    public CopyRecovery from(Map<String, Long> sequences) {
        return new CopyRecovery(store, 1, sequences);
    }

    /** Reads the records from the first wanted ones on. */
    void read(Sink sink) throws IOException, InterruptedException {
        Marks known = marks();
        List<Long> ends = known.ends;
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
                    if (each.sequence() >= fromOfStreams.getOrDefault(each.streamName(), 1L)) {
                        sink.record(each);
                    }
                    at[1] = each.sequence();
                    begun[0] = true;
                }
            }
        });
        if (at[0] < known.blocks) {
            throw new IOException("the copy had " + known.blocks + " blocks when it was read first, and " + at[0]
                    + " then: its oldest ones were deleted meanwhile; begin again, and keep it from that");
        }
        if (begun[0] && at[2] > at[1] + 1) {
            sink.gap(at[1] + 1, at[2] - 1);
        }
    }

    static String lacks(long first, long last) {
        return "the copy lacks the records " + first + " to " + last;
    }

    /** {@return for each block that a mark follows: the sequence from which on its records are void} */
    private Marks marks() throws IOException, InterruptedException {
        if (marks == null) {
            List<Long> ends = new ArrayList<>();
            Set<String> streams = new TreeSet<>();
            int[] blocks = new int[1];
            store.readBack(block -> {
                blocks[0]++;
                streams.addAll(block.streams().values());
                if (block.isMark()) {
                    while (ends.size() < blocks[0]) {
                        ends.add(Long.MAX_VALUE);
                    }
                    for (int i = ends.size() - 1; i >= 0 && ends.get(i) > block.firstSequence(); i--) {
                        ends.set(i, block.firstSequence());
                    }
                }
            });
            marks = new Marks(ends, blocks[0], streams);
        }
        return marks;
    }

    private void requireStreams(Set<String> named) throws IOException, InterruptedException {
        for (String each : named) {
            if (!marks().streams.contains(each)) {
                throw new IllegalArgumentException(
                        "The copy has no stream " + each + "; it has " + marks().streams + ".");
            }
        }
    }

    /** Tells that nothing was wanted that the copy has. */
    private Report told(Report report, boolean isEmpty) {
        if (isEmpty) {
            report.findings().add("the copy has no such record" + (from > 1 ? ", from " + from + " on" : ""));
        }
        return report;
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
        requireStreams(fromOfStreams.keySet());
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
        return told(files.report(), files.isEmpty());
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
     * @throws IllegalArgumentException if a stream has no path, or is not in the copy; nothing was written
     * @throws io.burstlog.BurstException if the ring cannot be opened or written
     */
    public Report into(Path ring, Map<String, String> files, Map<String, String> segments)
            throws IOException, InterruptedException {
        for (Set<String> named : List.of(files.keySet(), segments.keySet(), fromOfStreams.keySet())) {
            requireStreams(named);
        }
        CopyRing target = new CopyRing(ring, files, segments);
        read(target.sizes());
        try (target) {
            target.open();
            return told(filled(target), target.isEmpty());
        }
    }

    private Report filled(CopyRing target) throws IOException, InterruptedException {
        try {
            read(target);
            return target.finish();
        } catch (IOException | BurstException failed) {
            throw new IOException(
                    failed.getMessage() + ". Only a part is in " + target
                            + ": delete it, see by compare what the log files"
                            + " got, and recover the rest into another ring",
                    failed);
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

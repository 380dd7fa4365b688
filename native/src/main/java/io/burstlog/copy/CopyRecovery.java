// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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

    private CopyRecovery(CopyStore store) {
        this.store = store;
    }

    /**
     * Makes the recovery of a copy.
     *
     * @param store what keeps it; the caller closes it
     * @return the recovery
     */
    public static CopyRecovery of(CopyStore store) {
        return new CopyRecovery(store);
    }

    /** Reads all records. */
    void read(Sink sink) throws IOException, InterruptedException {
        List<Long> ends = ends();
        long[] at = new long[3]; // the place of the block, the last record, and where the last mark goes on
        store.readBack(block -> {
            int place = (int) at[0]++;
            long end = place < ends.size() ? ends.get(place) : Long.MAX_VALUE;
            at[2] = block.isMark() ? block.firstSequence() : at[2];
            if (block.isMark() || block.firstSequence() >= end || block.lastSequence() <= at[1]) {
                return;
            }
            for (CopyBlock.Record each : block.records()) {
                if (each.sequence() < end && each.sequence() > at[1]) {
                    if (at[1] != 0 && each.sequence() > at[1] + 1) {
                        sink.gap(at[1] + 1, each.sequence() - 1);
                    }
                    sink.record(each);
                    at[1] = each.sequence();
                }
            }
        });
        if (at[1] != 0 && at[2] > at[1] + 1) {
            sink.gap(at[1] + 1, at[2] - 1);
        }
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
     * Refuses a folder that is there, before a copy is fenced for it.
     *
     * @param name the folder
     * @return its path
     * @throws IOException if it is there
     */
    public static Path newFolder(String name) throws IOException {
        Path folder = Path.of(name);
        if (Files.exists(folder)) {
            throw new IOException(folder + " is there already: name a new folder");
        }
        return folder;
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
        Map<String, Output> outputs = new LinkedHashMap<>();
        List<String> findings = new ArrayList<>();
        try {
            read(new Sink() {
                @Override
                public void record(CopyBlock.Record record) throws IOException {
                    if (record.kind() == CopyBlock.Kind.RECORD) {
                        Output output = outputs.get(record.streamName());
                        if (output == null) {
                            output = new Output(folder, record.streamName(), outputs.size());
                            outputs.put(record.streamName(), output);
                        }
                        output.write(record);
                    }
                }

                @Override
                public void gap(long first, long last) {
                    findings.add("the copy lacks the records " + first + " to " + last);
                }
            });
            for (Output each : outputs.values()) {
                each.channel.force(true);
            }
        } finally {
            for (Output each : outputs.values()) {
                each.channel.close();
            }
        }
        for (Path each : List.of(folder, folder.toAbsolutePath().getParent())) {
            try (FileChannel names = FileChannel.open(each)) {
                names.force(true);
            }
        }
        return new Report(outputs.values().stream().map(Output::summary).toList(), findings);
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

    /** The file of a stream. */
    private static final class Output {

        private final String stream;
        private final Path file;
        private final FileChannel channel;
        private long records;
        private long first;
        private long last;

        Output(Path folder, String stream, int others) throws IOException {
            String name = stream.substring(stream.lastIndexOf('/') + 1).replaceAll("[^\\w.-]", "_");
            Path wanted = folder.resolve(name.isEmpty() || name.startsWith(".") ? "stream" + name : name);
            this.stream = stream;
            file = others > 0 && Files.exists(wanted) ? folder.resolve(wanted.getFileName() + "-" + others) : wanted;
            channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        }

        void write(CopyBlock.Record record) throws IOException {
            for (ByteBuffer left = record.payload().duplicate(); left.hasRemaining(); ) {
                channel.write(left);
            }
            first = records == 0 ? record.sequence() : first;
            last = record.sequence();
            records++;
        }

        String summary() {
            return records + " records of stream " + stream + ", from " + first + " to " + last + ", are in " + file;
        }
    }
}

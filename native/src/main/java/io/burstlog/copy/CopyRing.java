// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.BurstReader;
import io.burstlog.BurstStream;
import io.burstlog.Durability;
import io.burstlog.RecordBuffer;
import io.burstlog.Segments;
import io.burstlog.StreamConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Appends the records of a copy to a ring without records, which moves them on as any log does. */
final class CopyRing implements CopyRecovery.Sink, AutoCloseable {

    private static final long MIB = 1 << 20;

    // A drain that moves nothing so long will not.
    private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);

    private final Path ring;
    private final Map<String, String> files;
    private final Map<String, String> segments;
    private final Map<String, Output> outputs = new LinkedHashMap<>();
    private final List<String> findings = new ArrayList<>();
    private long longest = 1;
    private BurstLog log;
    private RecordBuffer buffer;

    CopyRing(Path ring, Map<String, String> files, Map<String, String> segments) {
        this.ring = ring;
        this.files = files;
        this.segments = segments;
    }

    /**
     * Refuses a ring that has records, and what is no ring, without a change of it. A file that is not there stays
     * away.
     *
     * @throws IOException if it has records, or is no ring
     */
    static void requireEmpty(Path ring) throws IOException {
        if (isThere(ring)) {
            try (BurstReader reader =
                    BurstReader.of(ring.toString()).window("").fromRing().open()) {
                if (reader.poll(1, Duration.ZERO).next() || reader.state().durableSequence() != 0) {
                    throw new IOException(ring + " is no ring, or one with records: name a new file, or a ring that"
                            + " burstlog format has just made");
                }
            }
        }
    }

    /** An empty file becomes a ring, as one that is not there does. */
    private static boolean isThere(Path ring) throws IOException {
        return Files.exists(ring) && !(Files.isRegularFile(ring) && Files.size(ring) == 0);
    }

    private static BurstConfig.Builder config(Path ring) {
        return BurstConfig.builder().ring(ring.toString()).durability(Durability.PROCESS);
    }

    /** {@return what reads the records before {@link #open}, to see which streams there are and how long they are} */
    CopyRecovery.Sink sizes() {
        return new CopyRecovery.Sink() {
            @Override
            public void record(CopyBlock.Record record) {
                if (record.kind() == CopyBlock.Kind.RECORD) {
                    outputs.computeIfAbsent(record.streamName(), Output::new).expected++;
                    longest = Math.max(longest, record.payload().remaining());
                }
            }

            @Override
            public void gap(long first, long last) {}
        };
    }

    /** Opens the ring and the streams that {@link #sizes} has seen. */
    void open() throws IOException {
        requireEmpty(ring);
        BurstConfig.Builder config = config(ring);
        if (longest > MIB) {
            config.maxRecordBytes(longest);
            config.ringBytes(isThere(ring) ? 0 : (8 * longest / MIB + 16) * MIB);
        }
        log = BurstLog.open(config.build());
        if (log.maxRecordBytes() < longest) {
            throw new IOException("the copy has a record of " + longest + " bytes, and ring " + ring + " takes "
                    + log.maxRecordBytes() + " at most: make a larger one with burstlog format");
        }
        buffer = RecordBuffer.allocate((int) longest, (int) longest);
        outputs.values().forEach(Output::open);
    }

    @Override
    public void record(CopyBlock.Record record) throws IOException {
        if (record.kind() == CopyBlock.Kind.RECORD) {
            Output output = outputs.get(record.streamName());
            buffer.clear().put(record.payload().duplicate());
            output.stream.enqueue(buffer, record.eventTimeNanos());
            output.span.add(record.sequence());
        }
    }

    @Override
    public void gap(long first, long last) {
        findings.add(CopyRecovery.lacks(first, last));
    }

    boolean isEmpty() {
        return outputs.isEmpty();
    }

    CopyRecovery.Report finish() throws IOException {
        log.flush();
        List<String> summary = new ArrayList<>();
        for (Output each : outputs.values()) {
            if (each.span.records() != each.expected) {
                throw new IOException("the copy had " + each.expected + " records of stream " + each.name
                        + " when it was read first, and " + each.span.records() + " then");
            }
            summary.add(each.span + ", are in ring " + ring + " for " + each.file);
            if (!each.stream.awaitDrained(LONG_ENOUGH)) {
                findings.add("ring " + ring + " has records that " + each.file
                        + " cannot get now: keep it, and start the" + " application with it");
            }
        }
        summary.add("ring " + ring + " has the id " + log.ringId() + ", " + log.durabilityStatement());
        return new CopyRecovery.Report(summary, findings);
    }

    @Override
    public void close() {
        if (log != null) {
            log.close();
        }
    }

    @Override
    public String toString() {
        return "ring " + ring;
    }

    /** A stream. */
    private final class Output {

        private final String name;
        private final boolean isNamed;
        private final String file;
        private final CopySpan span;
        private long expected;
        private BurstStream stream;

        Output(String name) {
            this.name = name;
            isNamed = !name.startsWith("/");
            file = files.getOrDefault(name, isNamed ? null : name);
            if (file == null) {
                throw new IllegalArgumentException("Stream " + name + " lacks the path of its log file; add --files \""
                        + name + "=PATH\", as the application has it.");
            }
            span = new CopySpan(name);
        }

        void open() {
            StreamConfig.Builder config = StreamConfig.builder().fileName(file).blockTimeout(LONG_ENOUGH);
            String folder = segments.get(name);
            if (folder != null) {
                config.segments(Segments.in(folder));
            }
            stream = log.stream(isNamed ? name : null, config.build());
        }
    }
}

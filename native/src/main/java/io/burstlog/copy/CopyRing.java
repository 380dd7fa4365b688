// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
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
     * Refuses a ring that has had records, or that cannot be opened. A file that is not there becomes none.
     *
     * @throws IOException if it has had records
     */
    static void requireEmpty(Path ring) throws IOException {
        if (Files.exists(ring)) {
            try (BurstLog log = BurstLog.open(config(ring).build())) {
                requireEmpty(ring, log);
            }
        }
    }

    private static void requireEmpty(Path ring, BurstLog log) throws IOException {
        if (log.durableSequence() != 0) {
            throw new IOException("ring " + ring + " has had records already: name a new file, or a ring that"
                    + " burstlog format has just made");
        }
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
                    outputs.computeIfAbsent(record.streamName(), Output::new);
                    longest = Math.max(longest, record.payload().remaining());
                }
            }

            @Override
            public void gap(long first, long last) {
                findings.add(CopyRecovery.lacks(first, last));
            }
        };
    }

    /** Opens the ring and the streams that {@link #sizes} has seen. */
    void open() throws IOException {
        BurstConfig.Builder config = config(ring);
        if (longest > MIB) {
            config.maxRecordBytes(longest);
            config.ringBytes(Files.exists(ring) ? 0 : (8 * longest / MIB + 16) * MIB);
        }
        log = BurstLog.open(config.build());
        requireEmpty(ring, log);
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
    public void gap(long first, long last) {}

    CopyRecovery.Report finish() {
        log.flush();
        List<String> summary = new ArrayList<>();
        for (Output each : outputs.values()) {
            summary.add(each.span + ", are in ring " + ring + " for " + each.file);
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

    /** A stream. */
    private final class Output {

        private final String name;
        private final boolean isNamed;
        private final String file;
        private final CopySpan span;
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

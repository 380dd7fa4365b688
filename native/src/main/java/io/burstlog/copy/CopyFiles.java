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

/** Writes the payloads of a copy's records to a new file a stream. */
final class CopyFiles implements CopyRecovery.Sink, AutoCloseable {

    private final Path folder;
    private final Map<String, Output> outputs = new LinkedHashMap<>();
    private final List<String> findings = new ArrayList<>();

    CopyFiles(Path folder) {
        this.folder = folder;
    }

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
        findings.add(CopyRecovery.lacks(first, last));
    }

    void sync() throws IOException {
        for (Output each : outputs.values()) {
            each.channel.force(true);
        }
    }

    boolean isEmpty() {
        return outputs.isEmpty();
    }

    CopyRecovery.Report report() {
        return new CopyRecovery.Report(
                outputs.values().stream().map(Output::summary).toList(), findings);
    }

    @Override
    public void close() throws IOException {
        for (Output each : outputs.values()) {
            each.channel.close();
        }
    }

    /** The file of a stream. */
    private static final class Output {

        private final Path file;
        private final CopySpan span;
        private final FileChannel channel;

        Output(Path folder, String stream, int others) throws IOException {
            String name = stream.substring(stream.lastIndexOf('/') + 1).replaceAll("[^\\w.-]", "_");
            Path wanted = folder.resolve(name.isEmpty() || name.startsWith(".") ? "stream" + name : name);
            span = new CopySpan(stream);
            file = others > 0 && Files.exists(wanted) ? folder.resolve(wanted.getFileName() + "-" + others) : wanted;
            channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        }

        void write(CopyBlock.Record record) throws IOException {
            for (ByteBuffer left = record.payload().duplicate(); left.hasRemaining(); ) {
                channel.write(left);
            }
            span.add(record.sequence());
        }

        String summary() {
            return span + ", are in " + file;
        }
    }
}

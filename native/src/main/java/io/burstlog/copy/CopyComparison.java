// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Compares a stream of a copy with its log file, record by record. Behind a gap of the copy, and before its first
 * record, the file may have more: that is told, and the comparison goes on behind it.
 */
final class CopyComparison implements CopyRecovery.Sink {

    private final Path file;
    private final String stream;
    private final int start;
    private final ByteBuffer bytes;
    private final Set<String> streams = new TreeSet<>();
    private final List<String> findings = new ArrayList<>();
    private long same;
    private int firstAt = -1;
    private long later;
    private long firstLater;

    /** Whether the next record of the stream may be anywhere in the rest of the file: so may the first one. */
    private boolean isBehindGap = true;

    private boolean hasDiffered;

    /** @param start the records of the file begin at this byte */
    CopyComparison(Path file, String stream, int start) throws IOException {
        this.file = file;
        this.stream = stream;
        this.start = start;
        try (FileChannel channel = FileChannel.open(file)) {
            if (channel.size() > Integer.MAX_VALUE) {
                throw new IOException(file + " has " + channel.size() + " bytes, and 2 GB can be compared at most");
            }
            bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        }
    }

    @Override
    public void gap(long first, long last) {
        isBehindGap = true;
        if (same > 0) {
            findings.add("the copy lacks the records " + first + " to " + last);
        }
    }

    @Override
    public void record(CopyBlock.Record record) {
        if (stream != null && !stream.equals(record.streamName())) {
            return;
        }
        streams.add(record.streamName());
        if (record.kind() != CopyBlock.Kind.RECORD || hasDiffered) {
            return;
        }
        ByteBuffer payload = record.payload();
        int at = isBehindGap ? find(payload) : same == 0 ? start : bytes.position();
        isBehindGap = false;
        if (isAt(bytes, payload, at)) {
            if (at > bytes.position()) {
                findings.add("bytes " + bytes.position() + " to " + (at - 1) + " of " + file
                        + " are not in the copy, right before record " + record.sequence());
            }
            bytes.position(at + payload.remaining());
            firstAt = same == 0 ? at : firstAt;
            same++;
        } else if (!bytes.hasRemaining()) {
            firstLater = later == 0 ? record.sequence() : firstLater;
            later++;
        } else if (same > 0) {
            hasDiffered = true;
            findings.add(file + " has something else than record " + record.sequence() + " of the copy at byte "
                    + bytes.position());
        }
    }

    private int find(ByteBuffer payload) {
        int at = bytes.position();
        while (at < bytes.limit() && !isAt(bytes, payload, at)) {
            at++;
        }
        return at;
    }

    /** {@return whether the file has the record at this byte} */
    static boolean isAt(ByteBuffer bytes, ByteBuffer payload, int at) {
        return bytes.limit() - at >= payload.remaining()
                && bytes.slice(at, payload.remaining()).equals(payload);
    }

    /** {@return who finds a header; null if a record begins the file, or it is empty} */
    CopyHeader header() {
        return firstAt != 0 && bytes.limit() > 0 ? new CopyHeader(bytes, stream) : null;
    }

    /** {@return how many records are in the copy and in the file} */
    long same() {
        return same;
    }

    CopyRecovery.Report report() throws IOException {
        if (streams.size() != 1) {
            throw new IOException(
                    streams.isEmpty()
                            ? "the copy has no record of " + (stream == null ? "any stream" : "stream " + stream)
                            : "the copy has several streams: name one of " + streams);
        }
        if (bytes.hasRemaining() && !hasDiffered) {
            findings.add("bytes " + bytes.position() + " to " + (bytes.limit() - 1) + " of " + file
                    + " are not in the copy" + (same > 0 ? ", behind its last record" : ""));
        }
        if (same == 0 && later > 0) {
            findings.add(file + " is empty: compare the file before it, if it was rolled");
        }
        return new CopyRecovery.Report(
                List.of(same + " records are in the copy and in " + file + ", " + later
                        + " later ones are in the copy alone"
                        + (same > 0 && later > 0 ? ", from " + firstLater + " on" : "")),
                findings);
    }
}

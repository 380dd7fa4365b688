// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds where the records of a log file begin: at its first line with which a whole record of the copy begins. Before
 * it is the header of a layout, which no record has.
 */
final class CopyHeader implements CopyRecovery.Sink {

    /** A longer header is not found. */
    private static final int MOST_BYTES = 64 << 10;

    private final String stream;
    private final ByteBuffer file;
    private final Map<ByteBuffer, List<Integer>> lines = new HashMap<>();
    private int bytes = Integer.MAX_VALUE;

    /**
     * Makes it.
     *
     * @param file what the log file has
     * @param stream whose records count; null: all
     */
    CopyHeader(ByteBuffer file, String stream) {
        this.file = file;
        this.stream = stream;
        for (int at = 0; at < Math.min(file.limit(), MOST_BYTES); ) {
            ByteBuffer line = line(file, at);
            lines.computeIfAbsent(line, any -> new ArrayList<>()).add(at);
            at += line.remaining();
        }
    }

    private static ByteBuffer line(ByteBuffer text, int from) {
        int most = Math.min(text.limit() - from, MOST_BYTES);
        int length = 0;
        while (length < most && text.get(from + length++) != '\n') {
            // up to the end of the line
        }
        return text.slice(from, length);
    }

    @Override
    public void gap(long first, long last) {}

    @Override
    public void record(CopyBlock.Record record) {
        if (record.kind() == CopyBlock.Kind.RECORD && (stream == null || stream.equals(record.streamName()))) {
            ByteBuffer payload = record.payload();
            for (int at : lines.getOrDefault(line(payload, 0), List.of())) {
                if (at < bytes && CopyComparison.isAt(file, payload, at)) {
                    bytes = at;
                }
            }
        }
    }

    /** {@return its length; 0 if the file has none, or no record was found} */
    int bytes() {
        return bytes == Integer.MAX_VALUE ? 0 : bytes;
    }
}

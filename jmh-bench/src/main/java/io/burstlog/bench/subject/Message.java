// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/** The message: the same bytes for all targets. */
public final class Message {

    private static final int SEED = 7;

    private Message() {}

    /** Letters and a line feed at the end. */
    public static byte[] line(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("A message of " + bytes + " bytes has no room for its line feed.");
        }
        byte[] line = new byte[bytes];
        Random random = new Random(SEED);
        for (int i = 0; i < bytes; i++) {
            line[i] = (byte) ('a' + random.nextInt(26));
        }
        line[bytes - 1] = '\n';
        return line;
    }

    /** The same without its line feed, which a layout adds. */
    public static String text(int bytes) {
        return new String(line(bytes), 0, bytes - 1, StandardCharsets.US_ASCII);
    }
}

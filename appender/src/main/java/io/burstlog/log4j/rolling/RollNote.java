// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.nio.ByteBuffer;

/**
 * The part of a roll record that is for the strategy: the times in the names, as they were when the policy decided. So
 * a file's name depends on its own roll, however much later the roll is performed.
 *
 * @param previousMillis the time of dates in the name of the file that ends
 * @param currentMillis the time of dates in the name of the file that begins
 * @param nextMillis when the file that begins is to end
 * @param renamesEmpty whether an empty file gets a name, too
 */
record RollNote(long previousMillis, long currentMillis, long nextMillis, boolean renamesEmpty) {

    private static final int MAGIC = 0x4c344a31;
    private static final int BYTES = 2 * Integer.BYTES + 3 * Long.BYTES;

    byte[] encode() {
        return ByteBuffer.allocate(BYTES)
                .putInt(MAGIC)
                .putInt(renamesEmpty ? 1 : 0)
                .putLong(previousMillis)
                .putLong(currentMillis)
                .putLong(nextMillis)
                .array();
    }

    /** Decodes a note; null if another program has asked for the roll. */
    static RollNote decode(final byte[] bytes) {
        if (bytes.length < BYTES) {
            return null;
        }
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (buffer.getInt() != MAGIC) {
            return null;
        }
        final boolean renamesEmpty = buffer.getInt() != 0;
        return new RollNote(buffer.getLong(), buffer.getLong(), buffer.getLong(), renamesEmpty);
    }
}

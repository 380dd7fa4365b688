// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.copy.CopyStore.RefusedException;
import java.util.Map;
import java.util.TreeMap;

/**
 * The custom metadata of a ledger, in which all values are text.
 *
 * @param kind the use of the ledger
 * @param ring the id of the ring, 32 hexadecimal digits
 * @param writer names one store from its start to its end
 */
record LedgerNote(Kind kind, String ring, String writer) {

    private static final String FORMAT = "burstlog-format";
    private static final String KIND = "burstlog-kind";
    private static final String RING = "burstlog-ring";
    private static final String WRITER = "burstlog-writer";
    private static final String VERSION = "1";

    /** The use of a ledger. */
    enum Kind {
        /** It has blocks. */
        COPY,
        /** It has nothing: a recovery has put an end to all writers of this ring's copy. */
        TAKEN
    }

    Map<String, byte[]> toMetadata() {
        return Map.of(
                FORMAT, VERSION.getBytes(UTF_8),
                KIND, kind.name().getBytes(UTF_8),
                RING, ring.getBytes(UTF_8),
                WRITER, writer.getBytes(UTF_8));
    }

    /** @throws RefusedException if the ledger is not one of this format */
    static LedgerNote of(long ledger, Map<String, byte[]> metadata) {
        Map<String, String> texts = new TreeMap<>();
        metadata.forEach((name, value) -> texts.put(name, new String(value, UTF_8)));
        String version = texts.get(FORMAT);
        if (!VERSION.equals(version)) {
            throw new RefusedException("ledger " + ledger
                    + (version == null
                            ? " is none of Burstlog"
                            : " has format " + version + ", which is newer than this program"));
        }
        try {
            return new LedgerNote(Kind.valueOf(texts.get(KIND)), texts.get(RING), texts.get(WRITER));
        } catch (IllegalArgumentException | NullPointerException wrong) {
            throw new RefusedException("ledger " + ledger + " has metadata that cannot be read: " + texts);
        }
    }

    /** @throws RefusedException if the ledger is another ring's */
    LedgerNote requireOf(String wanted, long ledger) {
        if (!wanted.equals(ring)) {
            throw new RefusedException(
                    "ledger " + ledger + " has the id that is to be of ring " + wanted + ", and is of ring " + ring);
        }
        return this;
    }
}

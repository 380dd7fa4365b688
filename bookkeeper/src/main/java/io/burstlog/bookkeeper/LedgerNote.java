// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The custom metadata of a ledger, in which all values are text.
 *
 * @param kind the use of the ledger
 * @param folder the id of the folder, 32 hexadecimal digits
 * @param stream the name of the stream
 * @param ring the id of the ring of the first block; empty for {@link Kind#TAKEN}
 * @param first the number of the first record; 0 for {@link Kind#TAKEN}
 * @param before the ledger before; 0: none
 * @param writer names one copier from its start to its end
 */
record LedgerNote(Kind kind, String folder, String stream, String ring, long first, long before, String writer) {

    private static final String FORMAT = "burstlog-format";
    private static final String VERSION = "1";

    /** The use of a ledger. */
    enum Kind {
        /** It has blocks. */
        COPY,
        /** It has nothing: a recovery has put an end to all writers of this folder. */
        TAKEN
    }

    Map<String, byte[]> toMetadata() {
        Map<String, String> texts = Map.of(
                FORMAT,
                VERSION,
                "burstlog-kind",
                kind.name(),
                "burstlog-folder",
                folder,
                "burstlog-stream",
                stream,
                "burstlog-ring",
                ring,
                "burstlog-first",
                Long.toString(first),
                "burstlog-before",
                Long.toString(before),
                "burstlog-writer",
                writer);
        return texts.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().getBytes(UTF_8)));
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
            return new LedgerNote(
                    Kind.valueOf(texts.get("burstlog-kind")),
                    texts.get("burstlog-folder"),
                    texts.get("burstlog-stream"),
                    texts.get("burstlog-ring"),
                    Long.parseLong(texts.get("burstlog-first")),
                    Long.parseLong(texts.get("burstlog-before")),
                    texts.get("burstlog-writer"));
        } catch (IllegalArgumentException | NullPointerException wrong) {
            throw new RefusedException("ledger " + ledger + " has metadata that cannot be read: " + texts);
        }
    }

    /** @throws RefusedException if the ledger is another folder's */
    void requireOf(String wanted, long ledger) {
        if (!folder.equals(wanted)) {
            throw new RefusedException("ledger " + ledger + " has the id that is to be of folder " + wanted
                    + ", and is of folder " + folder);
        }
    }
}

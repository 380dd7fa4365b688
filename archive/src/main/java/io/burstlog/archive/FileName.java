// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A name of an archive's file, taken apart. {@link Tiles} makes the names; this knows them all.
 *
 * @param kind which file it is
 * @param level of a tile; else 0
 * @param index of a tile, a bundle or a payload file; the size of a key's head; else 0
 * @param width how many hashes, or leaves, a partial one has; 0 for a full one
 */
record FileName(Kind kind, int level, long index, int width) {

    /** The kinds of files, each with the most bytes that it may have. Payloads are read by their frames. */
    enum Kind {
        CHECKPOINT("checkpoint(\\.tmp)?", 1 << 16),
        NEXT_PAYLOAD("payload\\.next", 0),
        OWNER("owner", 1 << 10),
        KEY("keys/(?<size>[1-9]\\d{0,17})", 1 << 16),
        ANCHOR("anchors/[^/]+/[^/]+", 1 << 20),
        TILE("tile/(?<level>[0-7])/" + Kind.NUMBER + "(\\.p/(?<width>[1-9]\\d{0,2}))?", Tiles.WIDTH * Sha256.BYTES),
        ENTRIES(
                "tile/entries/" + Kind.NUMBER + "(\\.p/(?<width>[1-9]\\d{0,2}))?",
                Tiles.WIDTH * (Leaf.MOST_BYTES + Short.BYTES)),
        PAYLOAD("payload/" + Kind.NUMBER + "\\.zst", 0),
        PAYLOAD_EDGE("payload/" + Kind.NUMBER + "\\.p/(?<width>[1-9]\\d{0,4})\\.zst", 0);

        private static final String NUMBER = "(?<number>(?:x\\d{3}/){0,5}\\d{3})";

        private final Pattern pattern;
        private final int most;

        Kind(String pattern, int most) {
            this.pattern = Pattern.compile(pattern);
            this.most = most;
        }
    }

    /** {@return the parts of a name; null if no archive has such a file} */
    static FileName of(String name) {
        for (Kind kind : Kind.values()) {
            Matcher parts = kind.pattern.matcher(name);
            if (parts.matches()) {
                FileName found = of(kind, parts);
                return found.isWrittenSo(name) ? found : null;
            }
        }
        return null;
    }

    private static FileName of(Kind kind, Matcher parts) {
        return switch (kind) {
            case KEY -> new FileName(kind, 0, Long.parseLong(parts.group("size")), 0);
            case TILE -> new FileName(kind, Integer.parseInt(parts.group("level")), number(parts), width(parts));
            case ENTRIES, PAYLOAD_EDGE -> new FileName(kind, 0, number(parts), width(parts));
            case PAYLOAD -> new FileName(kind, 0, number(parts), 0);
            default -> new FileName(kind, 0, 0, 0);
        };
    }

    private static long number(Matcher parts) {
        return Long.parseLong(parts.group("number").replaceAll("[x/]", ""));
    }

    private static int width(Matcher parts) {
        return parts.group("width") == null ? 0 : Integer.parseInt(parts.group("width"));
    }

    private boolean isWrittenSo(String name) {
        int hashes = width == 0 ? Tiles.WIDTH : width;
        return switch (kind) {
            case TILE -> hashes <= Tiles.WIDTH && name.equals(Tiles.tile(level, index, hashes));
            case ENTRIES -> hashes <= Tiles.WIDTH && name.equals(Tiles.entries(index, hashes));
            case PAYLOAD -> name.equals(Tiles.payload(index));
            case PAYLOAD_EDGE ->
                width < Tiles.PAYLOAD_LEAVES && width % Tiles.WIDTH > 0 && name.equals(Tiles.payloadEdge(index, width));
            default -> true;
        };
    }

    /** {@return the most bytes that a file of this name has; 0 if it is not read as a whole} */
    static int most(String name) {
        FileName parts = of(name);
        return parts == null ? 0 : parts.kind.most;
    }
}

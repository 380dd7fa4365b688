// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

/**
 * The names of an archive's files, relative to its folder. Trees and entries have those of C2SP tlog-tiles:
 *
 * <pre>
 * checkpoint                 the signed head of the tree; checkpoint.tmp: the one that takes its place
 * tile/0/x001/234            the hashes of leaves 1234*256 up to 1235*256
 * tile/0/x001/235.p/17       of 17 leaves: the right edge of a tree of that size
 * tile/1/004                 the hashes of full tiles 4*256 up to 5*256 of level 0
 * tile/entries/x001/234      the leaves themselves, each with its length in front (2 bytes, big-endian)
 * payload/004.zst            the payloads of all leaves below tile/1/004: one zstd frame for each tile of level 0
 * payload/005.p/700.zst      while payload/005.zst grows: the frame of the last, partial tile when that file's leaves are 700
 * payload.next               the file that takes the place of one of them, when payloads are erased
 * keys/1                     the first head that a key signed; a later one has the signatures of this key and of the one before
 * anchors/NAME/SIZE          what an anchor answered to the head of that size
 * owner                      the lock of the one archiver, and its epoch
 * </pre>
 */
final class Tiles {

    /** Hashes in a full tile, leaves in a full bundle, bundles in a full payload file. */
    static final int WIDTH = 256;

    static final int WIDTH_BITS = 8;
    static final int PAYLOAD_LEAVES = WIDTH * WIDTH;
    static final String CHECKPOINT = "checkpoint";
    static final String NEXT_PAYLOAD = "payload.next";
    static final String KEYS = "keys";
    static final String ANCHORS = "anchors";
    static final String OWNER = "owner";
    static final String TILE = "tile";
    static final String ENTRIES = TILE + "/entries";
    static final String PAYLOAD = "payload";
    static final String ZST = ".zst";

    private Tiles() {}

    /** {@return a number in groups of three digits, all but the last with an x in front} */
    static String number(long number) {
        StringBuilder path = new StringBuilder(digits(number % 1000));
        for (long rest = number / 1000; rest > 0; rest /= 1000) {
            path.insert(0, "x" + digits(rest % 1000) + "/");
        }
        return path.toString();
    }

    private static String digits(long below1000) {
        return Long.toString(1000 + below1000).substring(1);
    }

    /** {@return the name of a tile, a partial one if the width is below 256} */
    static String tile(int level, long index, int width) {
        return TILE + "/" + level + "/" + number(index) + partial(width);
    }

    static String entries(long index, int width) {
        return ENTRIES + "/" + number(index) + partial(width);
    }

    private static String partial(int width) {
        return width == WIDTH ? "" : ".p/" + width;
    }

    static String payload(long index) {
        return PAYLOAD + "/" + number(index) + ZST;
    }

    /** {@return the name of the frame of the last, partial tile when a payload file has so many leaves} */
    static String payloadEdge(long index, int leaves) {
        return payloadEdges(index) + "/" + leaves + ZST;
    }

    /** {@return the folder of these, which only a file that grows has} */
    static String payloadEdges(long index) {
        return PAYLOAD + "/" + number(index) + ".p";
    }

    static String keyHead(long size) {
        return KEYS + "/" + size;
    }

    /** {@return how many hashes this tile has in a tree of that size; 0 if it has none} */
    static int width(int level, long index, long size) {
        long hashes = size >> (WIDTH_BITS * level);
        return (int) Math.max(0, Math.min(WIDTH, hashes - index * WIDTH));
    }
}

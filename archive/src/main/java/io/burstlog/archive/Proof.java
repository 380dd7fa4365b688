// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * Proves to anybody with the public key that a record is in an archive: C2SP tlog-proof, some 1 KB of text. Its extra
 * line is the leaf, which names the record and has the hash of its payload.
 *
 * @param leaf what the tree holds
 * @param index its place
 * @param hashes from its sibling up
 * @param head the signed head of the tree
 */
public record Proof(Leaf leaf, long index, List<byte[]> hashes, Checkpoint head) {

    private static final String FIRST_LINE = "c2sp.org/tlog-proof@v1";
    private static final String EXTRA = "extra ";
    private static final String INDEX = "index ";

    /** Keeps the hashes as they are now. */
    public Proof {
        hashes = List.copyOf(hashes);
    }

    /**
     * Reads a proof.
     *
     * @param text as {@link #toString} writes it
     * @return the proof
     * @throws IllegalArgumentException if it is none: a sentence that says why
     */
    public static Proof of(String text) {
        int end = text.indexOf("\n\n");
        String[] lines = text.substring(0, Math.max(0, end)).split("\n");
        if (lines.length < 3
                || !lines[0].equals(FIRST_LINE)
                || !lines[1].startsWith(EXTRA)
                || !lines[2].matches("index (0|[1-9]\\d{0,18})")) {
            throw new IllegalArgumentException("This is no proof of an archive: it does not begin with the lines "
                    + FIRST_LINE + ", extra LEAF and index NUMBER.");
        }
        Base64.Decoder decoder = Base64.getDecoder();
        List<byte[]> hashes = new ArrayList<>();
        for (String line : Arrays.asList(lines).subList(3, lines.length)) {
            hashes.add(decoder.decode(line));
        }
        return new Proof(
                Leaf.of(decoder.decode(lines[1].substring(EXTRA.length()))),
                Long.parseLong(lines[2].substring(INDEX.length())),
                hashes,
                Checkpoint.of(text.substring(end + 2)));
    }

    /**
     * Checks the proof.
     *
     * @param key the archive's public key, which the caller has from elsewhere
     * @param payload the record; null leaves it unchecked
     * @return null if it holds; else a sentence that says what does not
     */
    public String check(VerifierKey key, byte[] payload) {
        if (!head.isSignedBy(key)) {
            return "The head in the proof is not signed by " + key + ".";
        }
        byte[] root = MerkleTree.rootOf(index, head.size(), leaf.hash(), hashes);
        if (root == null || !Arrays.equals(root, head.root())) {
            return "The leaf is not in the tree of the head: its hashes lead to another root.";
        }
        if (payload != null && (payload.length != leaf.length() || !leaf.isDigestOf(payload, 0))) {
            return "The payload is not that of the leaf: its SHA-256 is another one.";
        }
        return null;
    }

    /** {@return the text of the proof} */
    @Override
    public String toString() {
        Base64.Encoder encoder = Base64.getEncoder();
        StringBuilder text = new StringBuilder(FIRST_LINE + "\n")
                .append(EXTRA)
                .append(encoder.encodeToString(leaf.raw()))
                .append("\n")
                .append(INDEX)
                .append(index)
                .append("\n");
        hashes.forEach(each -> text.append(encoder.encodeToString(each)).append("\n"));
        return text.append("\n").append(head).toString();
    }
}

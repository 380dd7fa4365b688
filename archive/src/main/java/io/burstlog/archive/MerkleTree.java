// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The hashes and proofs of RFC 6962, section 2.1. They read no file: a {@link Hashes} gives them the perfect subtrees.
 * A proof lists hashes from the leaf's side up.
 */
final class MerkleTree {

    private static final byte LEAF = 0;
    private static final byte NODE = 1;

    private MerkleTree() {}

    /** The hashes of perfect subtrees. */
    interface Hashes {

        /** {@return the hash of the 2^level leaves from {@code index * 2^level} on} */
        byte[] perfect(int level, long index) throws IOException;
    }

    static byte[] leafHash(byte[] leaf) {
        return leafHash(leaf, 0, leaf.length);
    }

    static byte[] leafHash(byte[] bytes, int offset, int length) {
        MessageDigest digest = Sha256.digest();
        digest.update(LEAF);
        digest.update(bytes, offset, length);
        return digest.digest();
    }

    static byte[] node(byte[] left, byte[] right) {
        MessageDigest digest = Sha256.digest();
        digest.update(NODE);
        digest.update(left);
        digest.update(right);
        return digest.digest();
    }

    /** {@return the hash of so many hashes, a power of two, as one perfect subtree} */
    static byte[] fold(byte[][] hashes, int from, int count) {
        if (count == 1) {
            return hashes[from];
        }
        int half = count / 2;
        return node(fold(hashes, from, half), fold(hashes, from + half, half));
    }

    static byte[] root(long size, Hashes hashes) throws IOException {
        return size == 0 ? Sha256.of(new byte[0], 0, 0) : range(0, size, hashes);
    }

    /** The MTH of D[from:to]: from is a multiple of the least power of two that is not below the length. */
    private static byte[] range(long from, long to, Hashes hashes) throws IOException {
        long length = to - from;
        if (Long.bitCount(length) == 1) {
            int level = Long.numberOfTrailingZeros(length);
            return hashes.perfect(level, from >> level);
        }
        long left = Long.highestOneBit(length);
        return node(range(from, from + left, hashes), range(from + left, to, hashes));
    }

    private static long leftOf(long length) {
        long high = Long.highestOneBit(length);
        return high == length ? high / 2 : high;
    }

    /** {@return the proof that the leaf of this index is in the tree of this size} */
    static List<byte[]> inclusion(long index, long size, Hashes hashes) throws IOException {
        List<byte[]> proof = new ArrayList<>();
        inclusion(index, 0, size, hashes, proof);
        return proof;
    }

    private static void inclusion(long index, long from, long to, Hashes hashes, List<byte[]> proof)
            throws IOException {
        if (to - from == 1) {
            return;
        }
        long middle = from + leftOf(to - from);
        if (index < middle) {
            inclusion(index, from, middle, hashes, proof);
            proof.add(range(middle, to, hashes));
        } else {
            inclusion(index, middle, to, hashes, proof);
            proof.add(range(from, middle, hashes));
        }
    }

    /** {@return the root that follows from an inclusion proof; null if a proof of this leaf has another length} */
    static byte[] rootOf(long index, long size, byte[] leafHash, List<byte[]> proof) {
        if (index < 0 || index >= size) {
            return null;
        }
        int[] used = {0};
        byte[] root = rootOf(index, 0, size, leafHash, proof, used);
        return used[0] == proof.size() ? root : null;
    }

    private static byte[] rootOf(long index, long from, long to, byte[] leafHash, List<byte[]> proof, int[] used) {
        if (to - from == 1) {
            return leafHash;
        }
        long middle = from + leftOf(to - from);
        boolean isLeft = index < middle;
        byte[] own = isLeft
                ? rootOf(index, from, middle, leafHash, proof, used)
                : rootOf(index, middle, to, leafHash, proof, used);
        if (own == null || used[0] == proof.size()) {
            return null;
        }
        byte[] other = proof.get(used[0]++);
        return isLeft ? node(own, other) : node(other, own);
    }

    /** {@return the proof that the tree of the first size leaves is a prefix of the tree} */
    static List<byte[]> consistency(long first, long size, Hashes hashes) throws IOException {
        List<byte[]> proof = new ArrayList<>();
        if (first > 0 && first < size) {
            consistency(first, 0, size, true, hashes, proof);
        }
        return proof;
    }

    private static void consistency(
            long first, long from, long to, boolean isWholeFirst, Hashes hashes, List<byte[]> proof)
            throws IOException {
        if (first == to - from) {
            if (!isWholeFirst) {
                proof.add(range(from, to, hashes));
            }
            return;
        }
        long left = leftOf(to - from);
        if (first <= left) {
            consistency(first, from, from + left, isWholeFirst, hashes, proof);
            proof.add(range(from + left, to, hashes));
        } else {
            consistency(first - left, from + left, to, false, hashes, proof);
            proof.add(range(from, from + left, hashes));
        }
    }

    /** Whether the proof shows that the second tree begins with the first. */
    static boolean isConsistent(long first, byte[] firstRoot, long size, byte[] root, List<byte[]> proof) {
        if (first < 0 || first > size) {
            return false;
        }
        if (first == 0 || first == size) {
            return proof.isEmpty() && (first == 0 || Arrays.equals(firstRoot, root));
        }
        int[] used = {0};
        byte[][] both = rootsOf(first, size, true, firstRoot, proof, used);
        return both != null
                && used[0] == proof.size()
                && Arrays.equals(both[0], firstRoot)
                && Arrays.equals(both[1], root);
    }

    /** The roots of the first tree and of the second one that follow from a consistency proof. */
    private static byte[][] rootsOf(
            long first, long length, boolean isWholeFirst, byte[] firstRoot, List<byte[]> proof, int[] used) {
        if (first == length) {
            byte[] same = isWholeFirst ? firstRoot : next(proof, used);
            return same == null ? null : new byte[][] {same, same};
        }
        long left = leftOf(length);
        boolean isLeft = first <= left;
        byte[][] inner = isLeft
                ? rootsOf(first, left, isWholeFirst, firstRoot, proof, used)
                : rootsOf(first - left, length - left, false, firstRoot, proof, used);
        byte[] other = inner == null ? null : next(proof, used);
        if (other == null) {
            return null;
        }
        return isLeft
                ? new byte[][] {inner[0], node(inner[1], other)}
                : new byte[][] {node(other, inner[0]), node(other, inner[1])};
    }

    private static byte[] next(List<byte[]> proof, int[] used) {
        return used[0] < proof.size() ? proof.get(used[0]++) : null;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;

/**
 * A signed head of an archive's tree: C2SP tlog-checkpoint in a C2SP signed-note.
 *
 * <pre>
 * example.com/orders                                  origin
 * 20852163                                            size: so many leaves
 * CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=        root
 *
 * — example.com/orders Az3grlgtzPICa5OS8npVmf1Myq...  signatures
 * </pre>
 *
 * <p>Immutable. It says nothing of who signed it: {@link #isSignedBy} does.
 */
public final class Checkpoint {

    private static final String SIGNATURE = "\u2014 ";
    private static final int BODY_LINES = 3;

    /** No archive has so many leaves: tiles of seven levels have room for fewer. */
    private static final long MOST_LEAVES = 1L << 56;

    private final String note;
    private final String body;
    private final String origin;
    private final long size;
    private final byte[] root;

    private Checkpoint(String note, String body, String origin, long size, byte[] root) {
        this.note = note;
        this.body = body;
        this.origin = origin;
        this.size = size;
        this.root = root;
    }

    /**
     * Reads a head. Lines that extend it, and signatures of others, are kept.
     *
     * @param note the whole note
     * @return the head
     * @throws IllegalArgumentException if it is none: a sentence that says why
     */
    public static Checkpoint of(String note) {
        int end = note.lastIndexOf("\n\n");
        String body = end < 0 ? "" : note.substring(0, end + 1);
        String[] lines = body.split("\n", -1);
        try {
            if (lines.length <= BODY_LINES || lines[0].isEmpty() || !lines[1].matches("0|[1-9]\\d{0,18}")) {
                throw new IllegalArgumentException("it has no three lines with origin, size and root");
            }
            byte[] root = Base64.getDecoder().decode(lines[2]);
            if (root.length != Sha256.BYTES) {
                throw new IllegalArgumentException("its root has not 32 bytes");
            }
            for (String line : note.substring(end + 2).split("\n")) {
                if (!line.startsWith(SIGNATURE)) {
                    throw new IllegalArgumentException("a line behind its text is no signature");
                }
            }
            long size = Long.parseLong(lines[1]);
            if (size >= MOST_LEAVES) {
                throw new IllegalArgumentException("its size, " + size + ", is beyond that of any archive");
            }
            return new Checkpoint(note, body, lines[0], size, root);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException("This is no head of an archive: " + wrong.getMessage() + ".");
        }
    }

    static Checkpoint sign(String origin, long size, byte[] root, List<SigningKey> keys) {
        String body = origin + "\n" + size + "\n" + Base64.getEncoder().encodeToString(root) + "\n";
        StringBuilder note = new StringBuilder(body).append("\n");
        for (SigningKey key : keys) {
            byte[] signature = key.sign(body.getBytes(UTF_8));
            note.append(SIGNATURE)
                    .append(key.verifier().name())
                    .append(" ")
                    .append(Base64.getEncoder()
                            .encodeToString(ByteBuffer.allocate(NoteKeys.ID_BYTES + signature.length)
                                    .putInt(key.verifier().id())
                                    .put(signature)
                                    .array()))
                    .append("\n");
        }
        return new Checkpoint(note.toString(), body, origin, size, root);
    }

    /**
     * Checks a signature.
     *
     * @param key the public key
     * @return whether the origin is the key's name, and the key has signed this head
     */
    public boolean isSignedBy(VerifierKey key) {
        if (!origin.equals(key.name())) {
            return false;
        }
        String start = SIGNATURE + key.name() + " ";
        for (String line : note.substring(body.length() + 1).split("\n")) {
            byte[] signature = line.startsWith(start) ? decoded(line.substring(start.length())) : new byte[0];
            if (signature.length == NoteKeys.ID_BYTES + NoteKeys.SIGNATURE_BYTES
                    && ByteBuffer.wrap(signature).getInt() == key.id()
                    && key.hasSigned(
                            body.getBytes(UTF_8), Arrays.copyOfRange(signature, NoteKeys.ID_BYTES, signature.length))) {
                return true;
            }
        }
        return false;
    }

    boolean isSignedByOneOf(Collection<VerifierKey> keys) {
        return keys.stream().anyMatch(this::isSignedBy);
    }

    private static byte[] decoded(String base64) {
        try {
            byte[] bytes = Base64.getDecoder().decode(base64);
            // The JDK ignores spare bits at the end.
            return Base64.getEncoder().encodeToString(bytes).equals(base64) ? bytes : new byte[0];
        } catch (IllegalArgumentException noSignature) {
            return new byte[0];
        }
    }

    /** {@return the name of the archive: that of the keys that sign it} */
    public String origin() {
        return origin;
    }

    /** {@return how many leaves the tree has} */
    public long size() {
        return size;
    }

    /** {@return the root of the tree} */
    public byte[] root() {
        return root.clone();
    }

    /** {@return the text that was signed} */
    public String body() {
        return body;
    }

    /** {@return the whole note, with its signatures} */
    @Override
    public String toString() {
        return note;
    }
}

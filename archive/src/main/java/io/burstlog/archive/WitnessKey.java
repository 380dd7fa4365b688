// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/**
 * The public key of a witness: {@code NAME+ID+KEY} as C2SP signed-note writes it, of the type of C2SP tlog-cosignature
 * v1. Such a signature covers the body of a head and a time.
 *
 * <p>Immutable.
 */
final class WitnessKey {

    private static final byte COSIGNATURE_V1 = 4;
    private static final int TIME_BYTES = 8;
    private static final int BYTES = NoteKeys.ID_BYTES + TIME_BYTES + NoteKeys.SIGNATURE_BYTES;

    private final String name;
    private final int id;
    private final PublicKey key;

    private WitnessKey(String name, int id, PublicKey key) {
        this.name = name;
        this.id = id;
        this.key = key;
    }

    /** @throws IllegalArgumentException if it is none: a sentence that says why */
    static WitnessKey of(String text) {
        String[] parts = text.strip().split("\\+", 3);
        try {
            byte[] typed = Base64.getDecoder().decode(parts.length == 3 ? parts[2] : "");
            if (typed.length != 1 + NoteKeys.KEY_BYTES || typed[0] != COSIGNATURE_V1 || !NoteKeys.isName(parts[0])) {
                throw new IllegalArgumentException("it is not NAME+ID+KEY with a key of type 4");
            }
            int id = ByteBuffer.wrap(Sha256.digest().digest(joined((parts[0] + "\n").getBytes(UTF_8), typed)))
                    .getInt();
            if (!parts[1].equals(HexFormat.of().toHexDigits(id))) {
                throw new IllegalArgumentException("its id is not that of its name and key");
            }
            return new WitnessKey(parts[0], id, NoteKeys.publicKey(Arrays.copyOfRange(typed, 1, typed.length)));
        } catch (IllegalArgumentException | GeneralSecurityException wrong) {
            throw new IllegalArgumentException("\"" + text.strip() + "\" is no public key of a witness: "
                    + wrong.getMessage() + "; take the line that the witness publishes.");
        }
    }

    private static byte[] joined(byte[] first, byte[] second) {
        return ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array();
    }

    String name() {
        return name;
    }

    /** {@return the time of the cosignature of this head in the line; null if it is none, or not of this key} */
    Instant timeOf(Checkpoint head, String line) {
        String start = "\u2014 " + name + " ";
        if (!line.startsWith(start)) {
            return null;
        }
        ByteBuffer signature;
        try {
            signature = ByteBuffer.wrap(Base64.getDecoder().decode(line.substring(start.length())));
        } catch (IllegalArgumentException noSignature) {
            return null;
        }
        if (signature.remaining() != BYTES || signature.getInt() != id) {
            return null;
        }
        long time = signature.getLong();
        try {
            Signature check = Signature.getInstance("Ed25519");
            check.initVerify(key);
            check.update(("cosignature/v1\ntime " + time + "\n" + head.body()).getBytes(UTF_8));
            boolean isRight = check.verify(signature.array(), signature.position(), NoteKeys.SIGNATURE_BYTES);
            return isRight && time >= 0 && time <= Instant.MAX.getEpochSecond() ? Instant.ofEpochSecond(time) : null;
        } catch (GeneralSecurityException noSignature) {
            return null;
        }
    }
}

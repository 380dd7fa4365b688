// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/** The encodings of C2SP signed-note for Ed25519, and what the JDK wants instead of them. */
final class NoteKeys {

    static final byte ED25519 = 1;
    static final int KEY_BYTES = 32;
    static final int SIGNATURE_BYTES = 64;
    static final int ID_BYTES = 4;

    /** The DER in front of a key's 32 bytes (RFC 8410). */
    private static final byte[] PUBLIC = HexFormat.of().parseHex("302a300506032b6570032100");

    private static final byte[] PRIVATE = HexFormat.of().parseHex("302e020100300506032b657004220420");

    private NoteKeys() {}

    static PublicKey publicKey(byte[] key) throws GeneralSecurityException {
        return KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(joined(PUBLIC, key)));
    }

    static PrivateKey privateKey(byte[] seed) throws GeneralSecurityException {
        return KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(joined(PRIVATE, seed)));
    }

    private static byte[] joined(byte[] first, byte[] second) {
        return ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array();
    }

    /** {@return the key's id: the first bytes of a hash over name, algorithm and public key} */
    static int id(String name, byte[] publicKey) {
        MessageDigest digest = Sha256.digest();
        digest.update((name + "\n").getBytes(UTF_8));
        digest.update(ED25519);
        digest.update(publicKey);
        return ByteBuffer.wrap(digest.digest()).getInt();
    }

    /** {@return NAME+ID+KEY, as signed-note writes it} */
    static String text(String name, int id, byte[] key) {
        byte[] typed = ByteBuffer.allocate(1 + key.length).put(ED25519).put(key).array();
        return name + "+" + HexFormat.of().toHexDigits(id) + "+"
                + Base64.getEncoder().encodeToString(typed);
    }

    /**
     * The parts of NAME+ID+KEY.
     *
     * @param id as it stands there
     * @param key the 32 bytes behind the algorithm
     */
    record Parts(String name, int id, byte[] key) {}

    /** @throws IllegalArgumentException with the end of a sentence */
    static Parts parts(String text) {
        String[] parts = text.split("\\+", 3);
        if (parts.length != 3 || !isName(parts[0]) || !parts[1].matches("[0-9a-f]{8}")) {
            throw new IllegalArgumentException("it is not NAME+ID+KEY");
        }
        byte[] typed = Base64.getDecoder().decode(parts[2]);
        if (typed.length != 1 + KEY_BYTES || typed[0] != ED25519) {
            throw new IllegalArgumentException("it is no Ed25519 key of signed-note, algorithm 1");
        }
        return new Parts(parts[0], HexFormat.fromHexDigits(parts[1]), Arrays.copyOfRange(typed, 1, typed.length));
    }

    static boolean isName(String name) {
        return !name.isEmpty()
                && name.codePoints()
                        .noneMatch(each -> each == '+'
                                || each <= ' '
                                || each == 0x7F
                                || Character.isSpaceChar(each)
                                || Character.isWhitespace(each));
    }
}

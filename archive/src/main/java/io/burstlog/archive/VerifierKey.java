// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;

/**
 * The public key of an archive, as C2SP signed-note writes it: {@code NAME+ID+KEY}. Its name is the archive's origin.
 *
 * <p>Immutable, thread-safe.
 */
public final class VerifierKey {

    private final String text;
    private final String name;
    private final int id;
    private final PublicKey key;

    private VerifierKey(String text, NoteKeys.Parts parts) throws GeneralSecurityException {
        this.text = text;
        name = parts.name();
        id = parts.id();
        key = NoteKeys.publicKey(parts.key());
    }

    /**
     * Reads a key.
     *
     * @param text one line {@code NAME+ID+KEY}
     * @return the key
     * @throws IllegalArgumentException if it is none: a sentence that says why
     */
    public static VerifierKey of(String text) {
        String line = text.strip();
        try {
            NoteKeys.Parts parts = NoteKeys.parts(line);
            if (parts.id() != NoteKeys.id(parts.name(), parts.key())) {
                throw new IllegalArgumentException("its id is not that of its name and key");
            }
            return new VerifierKey(line, parts);
        } catch (IllegalArgumentException | GeneralSecurityException wrong) {
            throw new IllegalArgumentException("\"" + line + "\" is no public key of an archive: " + wrong.getMessage()
                    + "; take the line that the archive's owner published.");
        }
    }

    /** {@return the name, which is the origin of the heads that it signs} */
    public String name() {
        return name;
    }

    int id() {
        return id;
    }

    boolean hasSigned(byte[] text, byte[] signature) {
        try {
            Signature check = Signature.getInstance("Ed25519");
            check.initVerify(key);
            check.update(text);
            return check.verify(signature);
        } catch (GeneralSecurityException noSignature) {
            return false;
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VerifierKey key && key.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** {@return the line {@code NAME+ID+KEY}} */
    @Override
    public String toString() {
        return text;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.EdECPublicKey;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/**
 * The private key of an archive: a file with the one line {@code PRIVATE+KEY+NAME+ID+KEY}, as
 * {@code golang.org/x/mod/sumdb/note} writes it.
 *
 * <p>Immutable, thread-safe.
 */
public final class SigningKey {

    private static final String PREFIX = "PRIVATE+KEY+";
    private static final int MOST_BYTES = 1 << 12;
    private static final Set<PosixFilePermission> OF_OTHERS = PosixFilePermissions.fromString("---rwxrwx");

    private final VerifierKey verifier;
    private final PrivateKey key;

    private SigningKey(NoteKeys.Parts parts) throws GeneralSecurityException {
        byte[] publicKey = publicKeyOf(parts.key());
        int id = NoteKeys.id(parts.name(), publicKey);
        if (parts.id() != id) {
            throw new GeneralSecurityException("its id is not that of its name and key");
        }
        verifier = VerifierKey.of(NoteKeys.text(parts.name(), id, publicKey));
        key = NoteKeys.privateKey(parts.key());
    }

    /** The JDK derives a public key only where it makes the private one: it is given the seed as its random bytes. */
    private static byte[] publicKeyOf(byte[] seed) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
        generator.initialize(255, new SecureRandom() {
            private static final long serialVersionUID = 1L;

            @Override
            public void nextBytes(byte[] bytes) {
                System.arraycopy(seed, 0, bytes, 0, bytes.length);
            }
        });
        byte[] der = ((EdECPublicKey) generator.generateKeyPair().getPublic()).getEncoded();
        return Arrays.copyOfRange(der, der.length - NoteKeys.KEY_BYTES, der.length);
    }

    /**
     * Makes a new key in a file that its owner alone can read.
     *
     * @param name the origin of the archive: by custom a URL without scheme, such as {@code example.com/orders}; it has
     *     neither spaces nor a plus
     * @param file a file that is not there yet
     * @return the key
     * @throws IOException if the file cannot be written, or is there
     */
    public static SigningKey make(String name, Path file) throws IOException {
        if (!NoteKeys.isName(name)) {
            throw new IllegalArgumentException("\"" + name
                    + "\" cannot name an archive: write at least one character, and neither spaces nor a plus.");
        }
        byte[] seed = new byte[NoteKeys.KEY_BYTES];
        new SecureRandom().nextBytes(seed);
        try {
            String line = line(name, seed) + "\n";
            try (FileChannel channel = FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
                channel.write(ByteBuffer.wrap(line.getBytes(UTF_8)));
                channel.force(true);
            }
            FolderDisk.sync(file.toAbsolutePath().getParent());
            return of(line);
        } catch (GeneralSecurityException noEd25519) {
            throw new IOException(noEd25519);
        }
    }

    private static String line(String name, byte[] seed) throws GeneralSecurityException {
        return PREFIX + NoteKeys.text(name, NoteKeys.id(name, publicKeyOf(seed)), seed);
    }

    static SigningKey ofSeed(String name, byte[] seed) throws GeneralSecurityException {
        return of(line(name, seed));
    }

    static SigningKey of(String text) throws GeneralSecurityException {
        String line = text.strip();
        if (!line.startsWith(PREFIX)) {
            throw new GeneralSecurityException("its line does not begin with " + PREFIX);
        }
        try {
            return new SigningKey(NoteKeys.parts(line.substring(PREFIX.length())));
        } catch (IllegalArgumentException wrong) {
            throw new GeneralSecurityException(wrong.getMessage());
        }
    }

    /**
     * Reads a key.
     *
     * @param file its file
     * @return the key
     * @throws IOException with a sentence, if the file cannot be read, is open to others, or has no key
     */
    public static SigningKey read(Path file) throws IOException {
        String text;
        Set<PosixFilePermission> others;
        try (InputStream in = Files.newInputStream(file)) {
            text = new String(in.readNBytes(MOST_BYTES), UTF_8);
            others = new TreeSet<>(Files.getPosixFilePermissions(file));
        } catch (IOException failure) {
            throw new IOException("the key file " + file + " cannot be read: " + failure + "; no head is signed without"
                    + " it: bring it back, or name the right one");
        }
        others.retainAll(OF_OTHERS);
        if (!others.isEmpty()) {
            throw new IOException(
                    "the key file " + file + " is open to others, " + others
                            + ": whoever has read it can sign heads; chmod 600 it, and rotate to a new key if anybody may have");
        }
        try {
            return of(text);
        } catch (GeneralSecurityException wrong) {
            // Its text is a secret.
            throw new IOException("the file " + file + " is no key: " + wrong.getMessage()
                    + "; name the file that the command key has made");
        }
    }

    /** {@return the public key, to publish} */
    public VerifierKey verifier() {
        return verifier;
    }

    byte[] sign(byte[] text) {
        try {
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(key);
            signature.update(text);
            return signature.sign();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** {@return the public key alone} */
    @Override
    public String toString() {
        return "SigningKey[" + verifier + "]";
    }
}

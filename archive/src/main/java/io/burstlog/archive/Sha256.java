// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256, with one digest a thread. */
final class Sha256 {

    static final int BYTES = 32;

    private static final ThreadLocal<MessageDigest> DIGEST = ThreadLocal.withInitial(() -> {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    });

    private Sha256() {}

    /** {@return the digest of this thread, reset} */
    static MessageDigest digest() {
        MessageDigest digest = DIGEST.get();
        digest.reset();
        return digest;
    }

    static byte[] of(byte[] bytes, int offset, int length) {
        MessageDigest digest = digest();
        digest.update(bytes, offset, length);
        return digest.digest();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/** The ring was full and {@link OnFull#FAIL} says not to wait; nothing was written. */
public final class RingFullException extends BurstException {

    private static final long serialVersionUID = 1L;

    RingFullException(int errno, String sentence) {
        super(Code.RING_FULL, errno, sentence);
    }
}

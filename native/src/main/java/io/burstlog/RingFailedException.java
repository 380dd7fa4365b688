// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/**
 * The ring has failed, for instance on a write error. The log acknowledges nothing more; close it and open it again
 * once the cause is removed. Records that were acknowledged before are in the ring.
 */
public final class RingFailedException extends BurstException {

    private static final long serialVersionUID = 1L;

    RingFailedException(int errno, String sentence) {
        super(Code.IO_ERROR, errno, sentence);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

/** Thrown when trying again cannot help. Its message says why, without a full stop. */
final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RefusedException(String reason) {
        super(reason);
    }
}

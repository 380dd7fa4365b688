// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import io.burstlog.BurstException;

/** Says in one sentence why the native library cannot be used. */
final class LibraryException extends BurstException {

    private static final long serialVersionUID = 1L;

    LibraryException(String sentence) {
        super(Code.LIBRARY, sentence);
    }

    LibraryException(String sentence, Throwable cause) {
        super(Code.LIBRARY, sentence);
        initCause(cause);
    }
}

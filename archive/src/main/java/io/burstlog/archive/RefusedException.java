// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;

/**
 * Says that an archive is left as it is, since to go on could make a second history of it: trying again does not help.
 */
final class RefusedException extends IOException {

    private static final long serialVersionUID = 1L;

    RefusedException(String sentence) {
        super(sentence);
    }
}

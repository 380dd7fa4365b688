// SPDX-License-Identifier: Apache-2.0
package io.burstlog.migrate;

/** A text that is not of the language that its file's name says. */
final class Unreadable extends RuntimeException {

    private static final long serialVersionUID = 1L;

    Unreadable(final int line, final String sentence) {
        super("line " + line + ": " + sentence);
    }
}

// SPDX-License-Identifier: Apache-2.0
package examples.audit;

/** A text would not be one line of the trail: by a line break in it a caller writes records of his own making. */
final class AuditTextException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AuditTextException(int control) {
        super("the audit trail takes no control characters, and this text has U+%04X: send it without"
                .formatted(control));
    }
}

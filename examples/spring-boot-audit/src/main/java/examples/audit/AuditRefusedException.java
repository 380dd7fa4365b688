// SPDX-License-Identifier: Apache-2.0
package examples.audit;

/** The audit trail did not take a record: what the record is about must not happen. */
final class AuditRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AuditRefusedException(RuntimeException cause) {
        super("the audit trail takes no record: " + cause.getMessage(), cause);
    }
}

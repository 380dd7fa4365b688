// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

/**
 * Figures of a {@link Copier} since it was started.
 *
 * @param state what it is doing
 * @param copiedNumber the number up to which all records are on the disks of two bookies; 0: none yet
 * @param blocks how many blocks it has sent
 * @param failures how often the copier had to begin anew
 * @param lagRecords how many records were in the folder and not sent, when the copier last looked
 * @param lagSeconds the age of the first of them, by its event time; 0 if it has none
 */
public record CopierStats(
        State state, long copiedNumber, long blocks, long failures, long lagRecords, double lagSeconds) {

    /** The state of a copier. */
    public enum State {
        /** It looks for the folder's ledgers. */
        CONNECTING,
        /** It copies, or waits for records. */
        COPYING,
        /** The last try failed; it waits, and then begins anew. */
        WAITING,
        /** Another copier has taken over, or the ledgers are refused. It does nothing any more. */
        FAILED,
        /** It was closed. */
        CLOSED
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.util.List;

/**
 * Figures of an {@link Archiver}: of the newest signed head, and since the archiver was started. Immutable.
 *
 * @param leaves how many leaves the newest signed head has; 0 until the archive is open
 * @param sequence the newest sequence under that head; 0: it has none
 * @param headMillis when the archiver signed it, in milliseconds since 1970; 0: it has signed none yet
 * @param records how many records it has archived
 * @param bytes the payload bytes of these records
 * @param failures how often it had to begin anew
 * @param lagRecords how many records the archive lacked of the folder, when the archiver last looked: when it signs
 *     heads, and at each try while it cannot go on
 * @param lagBytes the bytes of segments that hold these
 * @param lagSeconds all records that are older than this are in the archive, by their event times; if the last look
 *     found that it has all, the time since then
 * @param anchors the places that confirm heads
 */
public record ArchiverStats(
        long leaves,
        long sequence,
        long headMillis,
        long records,
        long bytes,
        long failures,
        long lagRecords,
        long lagBytes,
        double lagSeconds,
        List<AnchorStats> anchors) {

    /**
     * Figures of an anchor.
     *
     * @param name of the anchor
     * @param leaves how many leaves the newest head has that it has confirmed; 0: it has confirmed none
     * @param failures how often it did not confirm a head, since the archiver was started
     * @param failure the reason why it did not confirm the last one that it was asked for; null if it did
     */
    public record AnchorStats(String name, long leaves, long failures, String failure) {}
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The rule of docs/media-format.md for the records that count, done in the plainest way. */
final class CopiedSequences {

    private CopiedSequences() {}

    static List<Long> of(List<CopyBlock> blocks) {
        List<Long> sequences = new ArrayList<>();
        for (CopyBlock block : blocks) {
            if (block.isMark()) {
                sequences.removeIf(sequence -> sequence >= block.firstSequence());
            }
            try {
                block.records().forEach(record -> sequences.add(record.sequence()));
            } catch (IOException damaged) {
                throw new AssertionError(damaged);
            }
        }
        return sequences;
    }
}

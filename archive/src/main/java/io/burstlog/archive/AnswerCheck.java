// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** Checks the answers that an {@link Anchor} gave. Not thread-safe. */
public interface AnswerCheck extends AutoCloseable {

    /**
     * The result for one answer.
     *
     * @param wrong the end of a sentence that says what is wrong with it; null if it confirms the head
     * @param time when the anchor had the head, by its own clock; null if it does not say
     */
    record Result(String wrong, Instant time) {

        static Result wrong(String sentence) {
            return new Result(sentence, null);
        }

        static Result confirmed(Instant time) {
            return new Result(null, time);
        }
    }

    /**
     * Checks an answer.
     *
     * @param head the head that it is to confirm
     * @param answer as the archive kept it
     * @return whether it does
     * @throws IOException if the place cannot be read
     */
    Result check(Checkpoint head, byte[] answer) throws IOException;

    /**
     * {@return the heads that the place itself has, oldest first: the archive must go on from each, although somebody
     * may have removed the answers that it kept}
     *
     * @param origin the archive's
     * @throws IOException if the place cannot be read
     */
    default List<Checkpoint> heads(String origin) throws IOException {
        return List.of();
    }

    @Override
    default void close() {}
}

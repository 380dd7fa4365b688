// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/**
 * Hears from the keeper of a second copy how far the copy of a stream has got. {@link BurstStream#copyProgress} is one
 * of a stream. The keeper reads the stream's folder of segments as a {@link BurstConsumer}, in order.
 *
 * <p>The first call is {@link #back} or {@link #away}. A keeper that begins anew looks up what the copy has, and tells
 * it by {@link #copied} behind its {@link #back}. A keeper that is closed says nothing more.
 *
 * <p>Thread-safe. No method throws or waits.
 */
public interface CopyProgress {

    /** Hears, and does nothing: for a stream whose copy nobody waits for. */
    CopyProgress UNHEARD = new CopyProgress() {
        @Override
        public void copied(String ring, long sequence) {}

        @Override
        public void away(String reason) {}

        @Override
        public void back(String place, long behind) {}
    };

    /**
     * All records of the stream up to a sequence are with the copy, and survive what the copy's place survives. Records
     * of another ring than the open one, which a folder of segments may hold, do not count.
     *
     * @param ring {@link ConsumedRecords#ring()}
     * @param sequence {@link ConsumedRecords#sequence()} of the newest of them; lower than an earlier one: no effect
     */
    void copied(String ring, long sequence);

    /**
     * The copy gets no records for the moment.
     *
     * @param reason why, without a full stop
     */
    void away(String reason);

    /**
     * The copy gets records, at first or again.
     *
     * @param place where it keeps them, as {@code memory of 2 of 3 brokers}
     * @param behind how many records in the folder of segments it still lacks
     */
    void back(String place, long behind);
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import io.burstlog.BurstConsumer;
import io.burstlog.ConsumerLag;
import java.util.List;

/** The figures of an archiver. Its thread alone changes them; any thread may ask. */
final class Figures {

    private static final long LOOK_NANOS = 1_000_000_000;

    /** Those of the sessions before. */
    private long recordsBefore;

    private long bytesBefore;
    private volatile Signed signed = new Signed(0, 0, 0, 0, 0);
    private volatile long failures;
    private volatile Look look = new Look(new ConsumerLag(0, 0, 0), System.nanoTime());

    private record Signed(long leaves, long sequence, long millis, long records, long bytes) {}

    private record Look(ConsumerLag lag, long nanos) {

        double seconds() {
            return lag.oldestEventTimeNanos() == 0
                    ? (System.nanoTime() - nanos) / 1e9
                    : Math.max(0, System.currentTimeMillis() / 1e3 - lag.oldestEventTimeNanos() / 1e9);
        }
    }

    /** A writer begins to count anew: what it takes, and no head has yet, comes again if it fails. */
    void begin() {
        recordsBefore = signed.records;
        bytesBefore = signed.bytes;
    }

    /**
     * Notes the head that is in force.
     *
     * @param isNew whether it was signed now
     */
    void sign(ArchiveWriter.Signed now, boolean isNew) {
        signed = new Signed(
                now.head().size(),
                now.lastOfStream() == null ? 0 : now.lastOfStream().sequence(),
                isNew ? System.currentTimeMillis() : signed.millis,
                recordsBefore + now.records(),
                bytesBefore + now.bytes());
    }

    void fail() {
        failures++;
    }

    /** Looks what the folder has behind the signed head, at most once a second. */
    void lookAgain(BurstConsumer consumer) {
        if (System.nanoTime() - look.nanos >= LOOK_NANOS) {
            look(consumer.lag());
        }
    }

    /**
     * Notes what the folder has behind the signed head. Lost and missing records have no time: if no other one waits,
     * they are no younger than the first one before.
     */
    void look(ConsumerLag lag) {
        boolean isTimed = lag.records() == 0 || lag.oldestEventTimeNanos() != 0;
        look = new Look(
                isTimed ? lag : new ConsumerLag(lag.records(), lag.bytes(), look.lag.oldestEventTimeNanos()),
                System.nanoTime());
    }

    ArchiverStats stats(List<ArchiverStats.AnchorStats> anchors) {
        Signed head = signed;
        Look last = look;
        return new ArchiverStats(
                head.leaves,
                head.sequence,
                head.millis,
                head.records,
                head.bytes,
                failures,
                last.lag.records(),
                last.lag.bytes(),
                last.seconds(),
                anchors);
    }
}

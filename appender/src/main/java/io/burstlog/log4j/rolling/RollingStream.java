// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.Roll;
import io.burstlog.RollRequest;
import io.burstlog.StreamStats;
import java.time.Duration;

/**
 * The methods of {@link BurstStream} that rolling needs.
 *
 * <p>Safe for use by any thread.
 */
public interface RollingStream {

    /** Appends a roll, and returns when it is durable; 0 if it was discarded. */
    long roll(Roll roll, long timeNanos);

    /** Enqueues a roll, and never waits; -1 if there is no space for it now. */
    long offerRoll(Roll roll, long timeNanos);

    /**
     * The roll at which the drain waits; null if there is none within the time.
     *
     * @throws BurstException once the stream is closed
     */
    RollRequest nextRoll(Duration timeout);

    /** Answers a roll. With a null target the file keeps its present name. */
    void rolled(long sequence, String target, String nextFile);

    /** Answers that the file goes on. */
    void rollFailed(long sequence, int errno);

    StreamStats stats();

    /** The file that is written now. */
    String currentFile();

    /** The path of its ring. */
    String ring();

    /** The highest sequence that its ring has given out, over all streams. */
    long acceptedSequence();

    /** Whether everything accepted so far is in its files, or is so within the time. */
    boolean awaitDrained(Duration timeout);

    /** {@return a stream of the engine, and of this log} */
    static RollingStream of(final BurstStream stream, final BurstLog log, final String ring) {
        return new RollingStream() {
            @Override
            public long roll(final Roll roll, final long timeNanos) {
                return stream.roll(roll, timeNanos);
            }

            @Override
            public long offerRoll(final Roll roll, final long timeNanos) {
                return stream.offerRoll(roll, timeNanos);
            }

            @Override
            public RollRequest nextRoll(final Duration timeout) {
                return stream.nextRoll(timeout);
            }

            @Override
            public void rolled(final long sequence, final String target, final String nextFile) {
                stream.rolled(sequence, target, nextFile);
            }

            @Override
            public void rollFailed(final long sequence, final int errno) {
                stream.rollFailed(sequence, errno);
            }

            @Override
            public StreamStats stats() {
                return stream.stats();
            }

            @Override
            public String currentFile() {
                return stream.currentFile();
            }

            @Override
            public String ring() {
                return ring;
            }

            @Override
            public long acceptedSequence() {
                return log.stats().acceptedSequence();
            }

            @Override
            public boolean awaitDrained(final Duration timeout) {
                return stream.awaitDrained(timeout);
            }
        };
    }
}

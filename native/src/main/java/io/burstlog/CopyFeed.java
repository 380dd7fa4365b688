// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.burstlog.binding.Engine;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Gives the records of a log to whoever keeps its second copy: the functions of {@code burstlog_copier.h}.
 * {@link io.burstlog.copy.BurstCopier} uses it; a program needs it only for a copier of its own.
 *
 * <p>Thread-safe, but one thread at a time takes. All methods throw {@link BurstException}: with code
 * {@link BurstException.Code#INVALID_ARGUMENT} for a log without a copy, {@link BurstException.Code#CLOSED} once the
 * log is closed, which for {@link #take} is once its close waits for no copy any more.
 */
public final class CopyFeed {

    private static final int WORDS = 5;

    private final long log;
    private final CopyWaits waits;
    private final String text;

    CopyFeed(long log, CopyWaits waits, String text) {
        this.log = log;
        this.waits = waits;
        this.text = text;
    }

    /**
     * Where a copy goes on.
     *
     * @param nextSequence of the first record that {@link CopyFeed#take} will give
     * @param missing so many records right before that one are not in the copy, and not in the ring any more
     * @param surplus so many of the copy's last records are of no log: drop them
     * @param epoch of the ring now: a copy that notes {@code nextSequence} notes it, too
     * @param durableSequence of the last record before {@code nextSequence} that is durable in the ring: noted, too
     */
    public record Begun(long nextSequence, long missing, long surplus, int epoch, long durableSequence) {}

    /**
     * Begins, or begins again, behind the copy's last record. The first call after an open may read the headers of the
     * whole ring.
     *
     * @param lastSequence of the copy's last record; 0: it is empty
     * @param lastEpoch of that record. A copy that has noted {@link Begun#nextSequence} and got no record since gives
     *     {@code nextSequence - 1}, {@link Begun#epoch} and {@link Begun#durableSequence}: so a gap is named once
     * @param durableSequence of the last record that was durable in the ring when that one was sealed: its header says
     *     so; 0: not known
     * @return where the copy goes on
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT} if the ring cannot have written
     *     such a record, or has lost records up to {@code durableSequence}: then nothing has changed
     */
    public Begun begin(long lastSequence, int lastEpoch, long durableSequence) {
        long[] begun = struct();
        BurstStream.check(Engine.burst_copy_begin(log, lastSequence, lastEpoch, durableSequence, begun));
        waits.releaseAll();
        return new Begun(begun[1], begun[2], begun[3], (int) (begun[0] >>> Integer.SIZE), begun[4]);
    }

    /**
     * Takes the next whole records, as many as are there and fit. They are perhaps not durable in the ring yet.
     *
     * @param buffer a direct one, which gets them from 0 on; its limit is then their end
     * @param timeout the longest time to wait for a record; zero or less does not wait
     * @return whether there were records
     * @throws BurstException with code {@link BurstException.Code#RECORD_TOO_LARGE} if the next record with its header
     *     is longer than the buffer, {@link BurstException.Code#COPY_AWAY} if the copy has not begun, or is away
     */
    public boolean take(ByteBuffer buffer, Duration timeout) {
        long[] block = struct();
        buffer.clear();
        long address = Pointer.nativeValue(Native.getDirectBufferPointer(buffer));
        int taken = Engine.burst_copy_take(log, address, buffer.capacity(), NativeTime.nanosOf(timeout), block);
        if (taken == -Engine.ESHUTDOWN) {
            waits.releaseAll();
        }
        BurstStream.check(taken);
        buffer.limit(taken > 0 ? Math.toIntExact(block[1]) : 0);
        return taken > 0;
    }

    /**
     * Confirms that the copy has stored all records up to this one, so that it survives what it is to survive.
     *
     * @throws BurstException with code {@link BurstException.Code#COPY_AWAY}, or
     *     {@link BurstException.Code#INVALID_ARGUMENT} for a record that was not taken since the copy began
     */
    public void confirm(long sequence) {
        BurstStream.check(Engine.burst_copy_confirm(log, sequence));
        waits.releaseCopied();
    }

    /** Has nothing wait for the copy any more, until {@link #begin}. An event of the log tells it. */
    public void away() {
        BurstStream.check(Engine.burst_copy_away(log));
        waits.releaseAll();
    }

    /** {@return the name of the stream that has this number in record headers; if it has none, its log file} */
    public String streamName(int stream) {
        byte[] name = new byte[Engine.PATH_BYTES];
        BurstStream.check(Engine.burst_copy_stream(log, stream, name, name.length));
        return Engine.terminated(name);
    }

    private static long[] struct() {
        long[] struct = new long[WORDS];
        struct[0] = (long) WORDS * Long.BYTES;
        return struct;
    }

    /** {@return the name of the copy and its ring, for sentences} */
    @Override
    public String toString() {
        return text;
    }
}

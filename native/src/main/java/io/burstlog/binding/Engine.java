// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The functions of {@code burstlog.h} under their C names, bound by {@link EngineLibrary}. A {@code long} stands for a
 * {@code burst_t *}, a {@code burst_stream_t *}, a {@code size_t} and an address, since the library exists for 64-bit
 * Linux only.
 */
public final class Engine {

    public static final int EAGAIN = 11;

    public static final int EMSGSIZE = 90;

    public static final int ENOTCONN = 107;

    public static final int ESHUTDOWN = 108;

    public static final int EIO = 5;

    public static final int ENOMEM = 12;

    public static final int ETIMEDOUT = 110;

    public static final int EINPROGRESS = 115;

    /** The C functions write at most this much of a recovery statement. */
    private static final int STATEMENT_BYTES = 64 * 1024;

    private static final int RING_ID_BYTES = 16;

    /** {@code BURST_PATH_BYTES}. */
    public static final int PATH_BYTES = 4096;

    private Engine() {}

    public static native int burst_open(ConfigStruct config, LongByReference log);

    public static native int burst_config_check(ConfigStruct config);

    public static native long burst_close(long log);

    public static native long burst_close_within(long log, long timeoutNanos);

    public static native int burst_flush(long log, long timeoutNanos);

    public static native int burst_await_drained(long log, long timeoutNanos);

    public static native int burst_stats(long log, StatsStruct stats);

    /** Fills a {@code burst_histogram_t}, whose first word the caller has set to its size in bytes. */
    public static native int burst_stage_histogram(long log, int stage, long[] histogram);

    public static native long burst_histogram_percentile(long[] histogram, double percent);

    public static native long burst_histogram_highest(int bucket);

    public static native int burst_next_event(long log, EventStruct event, long timeoutNanos);

    public static native long burst_main_stream(long log);

    public static native int burst_stream_open(long log, StreamConfigStruct config, LongByReference stream);

    public static native int burst_stream_await_drained(long stream, long timeoutNanos);

    public static native int burst_stream_stats(long stream, StreamStatsStruct stats);

    public static native int burst_stream_close(long stream, long timeoutNanos);

    public static native long burst_stream_roll(long stream, RollStruct roll, long eventTimeNanos);

    public static native long burst_stream_offer_roll(long stream, RollStruct roll, long eventTimeNanos);

    public static native int burst_stream_next_roll(long stream, RollRequestStruct request, long timeoutNanos);

    public static native int burst_stream_rolled(
            long stream, long sequence, int result, byte[] target, byte[] nextFile);

    public static native int burst_consumer_open(byte[] folder, byte[] name, LongByReference consumer);

    public static native long burst_consumer_poll(long consumer, long buffer, long bytes, long timeoutNanos);

    public static native int burst_consumer_ack(long consumer, long number);

    public static native int burst_consumer_seek(long consumer, long number);

    public static native int burst_consumer_seek_time(long consumer, long eventTimeNanos);

    public static native int burst_consumer_seek_sequence(long consumer, long sequence);

    public static native long burst_consumer_position(long consumer);

    /** Fills a {@code burst_consumer_lag_t}, whose first word the caller has set to its size in bytes. */
    public static native int burst_consumer_lag(long consumer, long[] lag);

    /** Fills a {@code burst_consumer_source_t}, whose first four bytes the caller has set to its size. */
    public static native int burst_consumer_source(long consumer, byte[] source);

    /** Fills a {@code burst_consumer_state_t}, whose first four bytes the caller has set to its size. */
    public static native int burst_consumer_look(byte[] folder, int index, byte[] state);

    public static native void burst_consumer_close(long consumer);

    public static native int burst_reader_open(ReaderConfigStruct config, LongByReference reader);

    public static native long burst_reader_poll(long reader, long buffer, long bytes, long timeoutNanos);

    public static native int burst_reader_seek(long reader, int from, long value);

    /** Fills a {@code burst_reader_state_t}, whose first four bytes the caller has set to its size. */
    public static native int burst_reader_state(long reader, byte[] state);

    public static native void burst_reader_close(long reader);

    /** Fills a {@code burst_copy_begun_t}, whose first four bytes the caller has set to its size. */
    public static native int burst_copy_begin(
            long log, long lastSequence, int lastEpoch, long durableSequence, long[] begun);

    public static native int burst_copy_away(long log);

    /** Fills a {@code burst_copy_block_t}, whose first four bytes the caller has set to its size. */
    public static native int burst_copy_take(long log, long buffer, long bytes, long timeoutNanos, long[] block);

    public static native int burst_copy_stream(long log, int stream, byte[] name, long nameBytes);

    public static native int burst_copy_confirm(long log, long sequence);

    public static native long burst_copied_sequence(long log);

    public static native int burst_await_copied(long log, long sequence, long timeoutNanos);

    static native long burst_stream_append(long stream, long data, long length, long eventTimeNanos);

    static native long burst_stream_enqueue(long stream, long data, long length, long eventTimeNanos);

    static native long burst_stream_offer(long stream, long data, long length, long eventTimeNanos);

    static native long burst_stream_append_within(
            long stream, long data, long length, long eventTimeNanos, int onFull, long timeoutNanos);

    static native long burst_stream_enqueue_within(
            long stream, long data, long length, long eventTimeNanos, int onFull, long timeoutNanos);

    static native void burst_nudge(long log);

    private static native void burst_ring_id(long log, byte[] id);

    static native int burst_is_drained(long log, long sequence);

    static native int burst_stream_is_drained(long stream, long sequence);

    static native long burst_stream_put(
            long stream, long data, long length, long eventTimeNanos, int onFull, int choices);

    static native int burst_await_progress(long log, long progress, long timeoutNanos);

    static native long burst_durable_sequence(long log);

    static native int burst_await_durable(long log, long sequence, long timeoutNanos);

    private static native long burst_last_error();

    private static native long burst_recovery_statement(long log, byte[] text, long textBytes);

    private static native int burst_durability_statement(long log, byte[] text, long textBytes);

    private static native int burst_stream_current_file(long stream, byte[] path, long pathBytes);

    /**
     * Returns the sentence of this thread's last failing call. Read it before any call that may block: a virtual thread
     * that blocks may go on on another carrier, and would read the sentence of that one.
     */
    public static String lastError() {
        long text = burst_last_error();
        return text == 0 ? "" : new Pointer(text).getString(0, StandardCharsets.UTF_8.name());
    }

    public static String recoveryStatement(long log) {
        byte[] text = new byte[STATEMENT_BYTES];
        burst_recovery_statement(log, text, text.length);
        return terminated(text);
    }

    public static String durabilityStatement(long log) {
        byte[] text = new byte[STATEMENT_BYTES];
        burst_durability_statement(log, text, text.length);
        return terminated(text);
    }

    public static long provablyLost(long log) {
        return burst_recovery_statement(log, new byte[1], 1);
    }

    public static String currentFile(long stream) {
        byte[] path = new byte[PATH_BYTES];
        burst_stream_current_file(stream, path, path.length);
        return terminated(path);
    }

    /** Returns the id of the ring, 32 hexadecimal digits. */
    public static String ringId(long log) {
        byte[] id = new byte[RING_ID_BYTES];
        burst_ring_id(log, id);
        return HexFormat.of().formatHex(id);
    }

    /** @param text null for none */
    public static byte[] zeroTerminated(String text) {
        return text == null ? null : (text + '\0').getBytes(StandardCharsets.UTF_8);
    }

    public static String terminated(byte[] text) {
        int end = 0;
        while (end < text.length && text[end] != 0) {
            end++;
        }
        return new String(text, 0, end, StandardCharsets.UTF_8);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Reads a ring's messages in a topic: blocks, and notes of those who wrote them. It reads what is stored, and not only
 * what is committed.
 */
final class CopyTopic implements AutoCloseable {

    private static final String NOTE = "burst-note";
    private static final String TAKEN = "taken";
    private static final Duration POLL = Duration.ofMillis(100);

    /** A block may have megabytes, so the search for the newest one begins small. */
    private static final int FIRST_SPAN = 16;

    private static final int LARGEST_SPAN = 1 << 16;

    private final Consumer<byte[], byte[]> consumer;
    private final TopicPartition partition;
    private final byte[] ring;
    private final long timeoutNanos;

    /** Gets a message. */
    interface MessageReader {
        void message(ConsumerRecord<byte[], byte[]> message) throws IOException;
    }

    /** @param consumer one that reads uncommitted messages; this assigns its partition */
    CopyTopic(Consumer<byte[], byte[]> consumer, TopicPartition partition, byte[] ring, long timeoutNanos) {
        this.consumer = consumer;
        this.partition = partition;
        this.ring = ring;
        this.timeoutNanos = timeoutNanos;
        consumer.assign(List.of(partition));
    }

    /** {@return the headers of the message by which a writer begins} */
    static Headers begunBy(String writer) {
        return note("begun " + writer);
    }

    /** {@return the headers of the message by which somebody takes the copy over for good} */
    static Headers taken() {
        return note(TAKEN);
    }

    private static Headers note(String text) {
        return new RecordHeaders().add(NOTE, text.getBytes(US_ASCII));
    }

    private static String noteOf(ConsumerRecord<byte[], byte[]> message) {
        Header header = message.headers().lastHeader(NOTE);
        return header == null ? null : new String(header.value(), US_ASCII);
    }

    /** Whether the message is a block; else it is a note. */
    static boolean isBlock(ConsumerRecord<byte[], byte[]> message) {
        return noteOf(message) == null;
    }

    static boolean isTaken(ConsumerRecord<byte[], byte[]> message) {
        return TAKEN.equals(noteOf(message));
    }

    static boolean isOf(String writer, ConsumerRecord<byte[], byte[]> message) {
        return ("begun " + writer).equals(noteOf(message));
    }

    /** The offset behind the newest message that all in-sync replicas have. */
    long end() {
        return consumer.endOffsets(List.of(partition)).get(partition);
    }

    /** Finds the newest message before an offset that is a block, or by which the copy was taken over; or null. */
    ConsumerRecord<byte[], byte[]> newestBefore(long end) throws IOException {
        long begin = consumer.beginningOffsets(List.of(partition)).get(partition);
        long span = FIRST_SPAN;
        for (long to = end; to > begin; span = Math.min(LARGEST_SPAN, span * 4)) {
            long from = Math.max(begin, to - span);
            Newest newest = new Newest();
            read(from, to, newest);
            if (newest.found != null) {
                return newest.found;
            }
            to = from;
        }
        return null;
    }

    private static final class Newest implements MessageReader {
        private ConsumerRecord<byte[], byte[]> found;

        @Override
        public void message(ConsumerRecord<byte[], byte[]> message) {
            if (isBlock(message) || isTaken(message)) {
                found = message;
            }
        }
    }

    /** Passes on all messages of the ring, in order. */
    void readAll(MessageReader reader) throws IOException {
        read(consumer.beginningOffsets(List.of(partition)).get(partition), end(), reader);
    }

    /** Passes on the ring's messages between two offsets. It passes over what retention deletes meanwhile. */
    void read(long from, long to, MessageReader reader) throws IOException {
        if (from >= to) {
            return;
        }
        consumer.seek(partition, from);
        long began = System.nanoTime();
        for (long at = from; at < to; at = consumer.position(partition)) {
            for (ConsumerRecord<byte[], byte[]> message : consumer.poll(POLL)) {
                if (message.offset() < to && Arrays.equals(message.key(), ring)) {
                    reader.message(message);
                }
                began = System.nanoTime();
            }
            if (System.nanoTime() - began > timeoutNanos) {
                throw new IOException("topic " + partition.topic() + " cannot be read from offset " + at
                        + " on: the leader of its partition does not answer");
            }
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}

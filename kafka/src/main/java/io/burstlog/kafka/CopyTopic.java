// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
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

    /** So many of the newest messages are read first: a block may have megabytes. */
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

    /**
     * Makes the headers of a block.
     *
     * @param number 1 for its writer's first block, and so on
     * @return the headers
     */
    static Headers numbered(long number) {
        return new RecordHeaders()
                .add(TopicRecords.NUMBER, Long.toString(number).getBytes(US_ASCII));
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

    /** A message of the ring, without its value: a block has a number from 1 on, a note has 0. */
    private record Place(long offset, long number, boolean isTaken) {}

    /** The ring's newest messages, in order; the topic had never one before them if it is whole. */
    private record Newest(List<Place> places, boolean isWholeTopic) {

        /** A writer has so many blocks under way at most: it knew of all before them that they were stored. */
        boolean isEnough() {
            int blocks = 0;
            long numberBehind = 0;
            for (int i = places.size() - 1; i >= 0; i--) {
                Place each = places.get(i);
                blocks = each.number > 0 ? blocks + 1 : 0;
                if (each.isTaken || blocks > CopyWriter.MOST_UNDER_WAY || each.number == 0 && numberBehind == 1) {
                    return true;
                }
                numberBehind = each.number;
            }
            return false;
        }

        /** The offset of the message that {@link CopyTopic#newestBefore} finds; -1: there is none. */
        long offset() {
            long newest = -1;
            long next = isWholeTopic || places.isEmpty() ? 0 : places.get(0).number;
            for (Place each : places) {
                if (each.isTaken) {
                    return each.offset;
                }
                if (each.number == 0) {
                    next = 1;
                } else if (each.number == next) {
                    newest = each.offset;
                    next++;
                }
            }
            return newest;
        }
    }

    /**
     * Finds the newest block before an offset that has all blocks of its writer before it, or a note by which the copy
     * was taken over.
     *
     * @return null if there is none
     */
    ConsumerRecord<byte[], byte[]> newestBefore(long end) throws IOException {
        List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
        long newest = newestPlaces(end).offset();
        if (newest >= 0) {
            read(newest, newest + 1, found::add);
        }
        return found.isEmpty() ? null : found.get(0); // none: retention was faster
    }

    /** Whether the ring has a block before an offset, or was taken over there. */
    boolean hasCopyBefore(long end) throws IOException {
        return newestPlaces(end).places.stream().anyMatch(each -> each.number > 0 || each.isTaken);
    }

    private Newest newestPlaces(long end) throws IOException {
        long begin = consumer.beginningOffsets(List.of(partition)).get(partition);
        Newest newest = new Newest(List.of(), false);
        long span = FIRST_SPAN;
        for (long to = end; to > begin && !newest.isEnough(); span = Math.min(LARGEST_SPAN, span * 4)) {
            long from = Math.max(begin, to - span);
            List<Place> places = new ArrayList<>();
            read(from, to, message -> places.add(placeOf(message)));
            places.addAll(newest.places);
            newest = new Newest(places, from == 0);
            to = from;
        }
        return newest;
    }

    private static Place placeOf(ConsumerRecord<byte[], byte[]> message) {
        Header number = message.headers().lastHeader(TopicRecords.NUMBER);
        return new Place(
                message.offset(),
                number == null ? 0 : Long.parseLong(new String(number.value(), US_ASCII)),
                isTaken(message));
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

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Headers;

/**
 * Finds the last record of a folder that is committed in a topic, by reading partitions from their ends back.
 *
 * <p>DESIGN. The caller has initialized the producer that writes these records. So all its transactions are decided,
 * and no new one can begin. A committed record may still lie behind an open transaction of another producer, where
 * nobody can read it. Hence this reads all that is written now, and waits until it is decided. Numbers rise within a
 * partition: the first number that is found from the end back is the highest one.
 */
final class LastShipped {

    private static final int FIRST_SPAN = 500;
    private static final int LARGEST_SPAN = 1 << 20;
    private static final Duration POLL = Duration.ofMillis(100);

    private final Admin admin;
    private final Consumer<byte[], byte[]> topic;
    private final ToLongFunction<Headers> numberOf;
    private final long timeoutNanos;

    /**
     * @param topic a consumer that reads committed records; this assigns its partitions
     * @param numberOf gives the number of a record of the folder, and 0 for any other record
     */
    LastShipped(Admin admin, Consumer<byte[], byte[]> topic, ToLongFunction<Headers> numberOf, long timeoutNanos) {
        this.admin = admin;
        this.topic = topic;
        this.numberOf = numberOf;
        this.timeoutNanos = timeoutNanos;
    }

    /**
     * Finds the record with the highest number in these partitions; null if they have no record of the folder.
     *
     * @param first which record of a partition is the first to look at
     */
    ConsumerRecord<byte[], byte[]> find(Collection<TopicPartition> partitions, OffsetSpec first)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, Long> begins = offsets(partitions, first);
        Map<TopicPartition, Long> ends = offsets(partitions, OffsetSpec.latest());
        ConsumerRecord<byte[], byte[]> highest = null;
        for (TopicPartition partition : partitions) {
            long begin = begins.get(partition);
            if (begin >= 0) { // else there is no first one
                topic.assign(List.of(partition));
                highest = higher(highest, find(partition, begin, ends.get(partition)));
            }
        }
        return highest;
    }

    /** Returns offsets that count every written record, decided or not. */
    private Map<TopicPartition, Long> offsets(Collection<TopicPartition> partitions, OffsetSpec which)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> wanted =
                partitions.stream().collect(Collectors.toMap(each -> each, each -> which));
        return admin.listOffsets(wanted).all().get().entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().offset()));
    }

    /** Returns the one with the higher number. Both may be null. */
    ConsumerRecord<byte[], byte[]> higher(ConsumerRecord<byte[], byte[]> one, ConsumerRecord<byte[], byte[]> other) {
        return numberOf(other) > numberOf(one) ? other : one;
    }

    private long numberOf(ConsumerRecord<byte[], byte[]> record) {
        return record == null ? 0 : numberOf.applyAsLong(record.headers());
    }

    private ConsumerRecord<byte[], byte[]> find(TopicPartition partition, long begin, long end) {
        long span = FIRST_SPAN;
        for (long to = end; to > begin; span = Math.min(LARGEST_SPAN, span * 4)) {
            long from = Math.max(begin, to - span);
            ConsumerRecord<byte[], byte[]> found = highest(partition, from, to);
            if (found != null) {
                return found;
            }
            to = from;
        }
        return null;
    }

    /**
     * Finds the record with the highest number between the offsets. It passes over records that retention deletes
     * meanwhile, and over those of aborted transactions, of which the consumer gives none.
     */
    private ConsumerRecord<byte[], byte[]> highest(TopicPartition partition, long from, long to) {
        ConsumerRecord<byte[], byte[]> highest = null;
        topic.seek(partition, from);
        long begin = System.nanoTime();
        for (long at = from; at < to; ) {
            for (ConsumerRecord<byte[], byte[]> record : topic.poll(POLL)) {
                highest = record.offset() < to ? higher(highest, record) : highest;
            }
            long before = at;
            at = topic.position(partition);
            if (at > before) {
                begin = System.nanoTime();
            } else if (System.nanoTime() - begin > timeoutNanos) {
                throw new TimeoutException("what is committed in " + partition + " cannot be read from offset " + at
                        + " on: a transaction of another producer is open there, or the leader does not answer");
            }
        }
        return highest;
    }
}

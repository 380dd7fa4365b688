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
 * <p>DESIGN. Whoever asks has initialized the producer that writes these records: so each of its transactions is
 * decided, and no other one can begin. What is committed may still lie behind a transaction of another producer that is
 * open, where nobody can read it: hence all that is written now is read, and so waited for until it is decided. In a
 * partition, numbers rise: the first that is found, from the end back, is the highest of the partition.
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
     * @param topic reads what is committed, and is assigned by this
     * @param numberOf of a record of the folder; 0 of another
     */
    LastShipped(Admin admin, Consumer<byte[], byte[]> topic, ToLongFunction<Headers> numberOf, long timeoutNanos) {
        this.admin = admin;
        this.topic = topic;
        this.numberOf = numberOf;
        this.timeoutNanos = timeoutNanos;
    }

    /** The record with the highest number in these partitions; null: none of the folder's records is there. */
    ConsumerRecord<byte[], byte[]> find(Collection<TopicPartition> partitions)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, Long> begins = offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = offsets(partitions, OffsetSpec.latest());
        ConsumerRecord<byte[], byte[]> highest = null;
        for (TopicPartition partition : partitions) {
            topic.assign(List.of(partition));
            highest = higher(highest, find(partition, begins.get(partition), ends.get(partition)));
        }
        return highest;
    }

    /** Of all that is written, whether it is decided or not. */
    private Map<TopicPartition, Long> offsets(Collection<TopicPartition> partitions, OffsetSpec which)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> wanted =
                partitions.stream().collect(Collectors.toMap(each -> each, each -> which));
        return admin.listOffsets(wanted).all().get().entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().offset()));
    }

    private ConsumerRecord<byte[], byte[]> higher(
            ConsumerRecord<byte[], byte[]> one, ConsumerRecord<byte[], byte[]> other) {
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

    /** Of the records of these offsets. Those that retention deletes meanwhile are passed over. */
    private ConsumerRecord<byte[], byte[]> highest(TopicPartition partition, long from, long to) {
        ConsumerRecord<byte[], byte[]> highest = null;
        topic.seek(partition, from);
        long begin = System.nanoTime();
        for (long at = from; at < to; at = topic.position(partition)) {
            for (ConsumerRecord<byte[], byte[]> record : topic.poll(POLL)) {
                highest = record.offset() < to ? higher(highest, record) : highest;
                begin = System.nanoTime();
            }
            if (System.nanoTime() - begin > timeoutNanos) {
                throw new TimeoutException("what is committed in " + partition + " cannot be read from offset " + at
                        + " on: a transaction of another producer is open there, or the leader does not answer");
            }
        }
        return highest;
    }
}

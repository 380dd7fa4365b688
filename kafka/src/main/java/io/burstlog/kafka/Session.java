// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.BurstConsumer;
import io.burstlog.ConsumedRecords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * A producer from its beginning to its first failure. After any failure in any state the next session begins anew: it
 * ends the open transaction, looks up the last record in the topic, and goes on behind it.
 */
final class Session implements AutoCloseable {

    private static final Duration FAREWELL = Duration.ofMillis(500);
    private static final int ANSWER_MILLIS = 1_000;

    /** So far the clock that stamps the topic's records may have been set back. */
    private static final long CLOCK_SLACK_MILLIS = Duration.ofHours(1).toMillis();

    private final ShipperConfig config;
    private final BurstConsumer consumer;
    private final Admin admin;
    private Producer<byte[], byte[]> producer;
    private final List<Future<RecordMetadata>> sent = new ArrayList<>();
    private final boolean isOldBroker;
    private final long shipped;
    private final Uuid topicId;
    private final Map<Integer, Long> lastOffsets = new HashMap<>();
    private TopicRecords records;

    /**
     * Looks up the last record that is committed in the topic.
     *
     * @param consumer it stands at the record that would be the next one if the topic did not say otherwise
     */
    Session(ShipperConfig config, BurstConsumer consumer) throws ExecutionException, InterruptedException {
        this.config = config;
        this.consumer = consumer;
        long next = consumer.position();
        String id = "burstlog-" + consumer.folderId() + "-" + config.topic();
        Map<String, Object> properties = config.clientProperties();
        long timeoutNanos = 1_000_000L
                * Integer.parseInt(properties.get("default.api.timeout.ms").toString());
        Map<String, Object> asking = new HashMap<>(properties);
        asking.put("client.id", id);
        admin = Admin.create(asking);
        try {
            isOldBroker = !Brokers.hasFeature(admin, config.servers());
            if (isOldBroker && !config.acceptsOldBrokers()) {
                throw new RefusedException("the brokers do not have feature " + Brokers.FEATURE + " at level "
                        + Brokers.FEATURE_LEVEL
                        + " (KIP-890, Kafka 4.0): there a record that comes late can be in the topic twice, or hold up"
                        + " its readers for ever. Upgrade them and that feature, or accept it (acceptOldBrokers)");
            }
            TopicDescription description = topic(new DescribeTopicsOptions());
            topicId = description.topicId();
            List<TopicPartition> all = allPartitions(description.partitions().size());
            List<TopicPartition> written = writtenPartitions(all);
            records = new TopicRecords(
                    config,
                    config.key() == null ? written.get(0).partition() : null,
                    consumer.folderId(),
                    consumer.stream());
            producer = Brokers.producer(properties, id);
            try (Consumer<byte[], byte[]> topic = Brokers.consumer(properties, "read_committed")) {
                producer.initTransactions();
                LastShipped look = new LastShipped(admin, topic, records::numberOf, timeoutNanos);
                shipped = checkedNumber(last(look, written, all, next));
            }
        } catch (Throwable failure) {
            close();
            throw failure;
        }
    }

    private TopicDescription topic(DescribeTopicsOptions options) throws ExecutionException, InterruptedException {
        return admin.describeTopics(List.of(config.topic()), options)
                .allTopicNames()
                .get()
                .get(config.topic());
    }

    /**
     * Returns the number of the topic's last record; 0 if it has none. It refuses a folder that was turned back to an
     * older state (by a snapshot of its host, for instance): that folder uses numbers again that the topic has, and
     * going on behind them would skip records.
     */
    private long checkedNumber(ConsumerRecord<byte[], byte[]> last) {
        if (last == null) {
            return 0;
        }
        long number = records.numberOf(last.headers());
        consumer.seek(number);
        ConsumedRecords found = consumer.poll(0, Duration.ZERO);
        if (!found.next()) {
            throw new KafkaException("the folder ends before number " + number + ", which the topic has");
        }
        if (found.kind() != ConsumedRecords.Kind.MISSING && !records.isSame(last, found)) {
            throw new RefusedException("its record number " + number + " from " + config.folder()
                    + " is another one there: the folder was turned back to an older state and gives numbers again, or"
                    + " something on the way changes values. Nothing from it is shipped; move it away and begin a new"
                    + " one, or take out what changes them");
        }
        return number;
    }

    private List<TopicPartition> allPartitions(int count) {
        return IntStream.range(0, count)
                .mapToObj(partition -> new TopicPartition(config.topic(), partition))
                .toList();
    }

    /** Returns those that this shipper writes. */
    private List<TopicPartition> writtenPartitions(List<TopicPartition> all) {
        if (config.key() != null) {
            return all;
        }
        int one = config.partition() >= 0
                ? config.partition()
                : TopicRecords.partitionOf(consumer.folderId(), all.size());
        return List.of(new TopicPartition(config.topic(), one));
    }

    /**
     * Finds the topic's last record of this folder. If it is older than the place in the folder says, other partitions
     * may have had the folder meanwhile: a key, another partition, or another count of them. Records behind it were
     * sent later than it, so a look into all of them begins at its time.
     */
    private ConsumerRecord<byte[], byte[]> last(
            LastShipped look, List<TopicPartition> written, List<TopicPartition> all, long next)
            throws ExecutionException, InterruptedException {
        ConsumerRecord<byte[], byte[]> last = look.find(written, OffsetSpec.earliest());
        if (last == null || records.numberOf(last.headers()) + 1 >= next) {
            return last;
        }
        return look.higher(last, look.find(all, OffsetSpec.forTimestamp(last.timestamp() - CLOCK_SLACK_MILLIS)));
    }

    /** Whether the brokers lack KIP-890 and the configuration accepts that. */
    boolean isOldBroker() {
        return isOldBroker;
    }

    /** Returns the number of the topic's last record when the session began; 0 if it had none. */
    long shipped() {
        return shipped;
    }

    /** The topic's id: a topic that was deleted and made anew has another one. */
    Uuid topicId() {
        return topicId;
    }

    /**
     * Asks whether the topic is still the one that was found at the begin. Then it had, and showed to its readers, all
     * that was committed before.
     *
     * @return false if no broker says so within a second
     * @throws KafkaException if the topic was made anew
     * @throws ExecutionException if the topic is gone
     */
    boolean hasItsTopic() throws ExecutionException, InterruptedException {
        try {
            Uuid now =
                    topic(new DescribeTopicsOptions().timeoutMs(ANSWER_MILLIS)).topicId();
            if (!now.equals(topicId)) {
                throw new KafkaException("it was deleted and made anew");
            }
            return true;
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof TimeoutException) {
                return false;
            }
            throw failure;
        }
    }

    /** Ships the batch as one transaction: all its records are in the topic when this returns. */
    void ship(ConsumedRecords batch) throws ExecutionException, InterruptedException {
        sent.clear();
        producer.beginTransaction();
        while (batch.next()) {
            sent.add(producer.send(records.of(batch)));
        }
        producer.flush();
        // The future names the record's fault; the commit would only say that there is one.
        for (Future<RecordMetadata> each : sent) {
            checkOrder(each.get());
        }
        producer.commitTransaction();
    }

    /**
     * Refuses a topic that was made anew: the producer would go on in it silently, without the records that the old one
     * had.
     */
    private void checkOrder(RecordMetadata sentTo) {
        Long last = lastOffsets.put(sentTo.partition(), sentTo.offset());
        if (last != null && sentTo.offset() <= last) {
            throw new KafkaException("offset " + sentTo.offset() + " of partition " + sentTo.partition()
                    + " came behind offset " + last + ": the topic was made anew, or has lost records from its end");
        }
    }

    /**
     * Ends the open transaction, so that it holds up no reader. If the brokers do not answer at once, the next session
     * ends it, or they do when its time is over.
     */
    @Override
    public void close() {
        Brokers.close(producer, FAREWELL, admin);
    }

    /** Whether trying again cannot help: another producer has begun, or the brokers or the folder are refused. */
    static boolean isFinal(Throwable reason) {
        for (Throwable cause = reason; cause != null; cause = cause.getCause()) {
            if (cause instanceof ProducerFencedException
                    || cause instanceof InvalidProducerEpochException
                    || cause instanceof RefusedException) {
                return true;
            }
        }
        return false;
    }

    /** Thrown when trying again cannot help. */
    static final class RefusedException extends KafkaException {
        private static final long serialVersionUID = 1L;

        RefusedException(String reason) {
            super(reason);
        }
    }
}

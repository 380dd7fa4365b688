// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A topic of Apache Kafka, to which each head is sent with {@code acks=all}; the key is the origin of the archive. It
 * needs {@code kafka-clients} on the class path. The topic must be there, and keep its records for good
 * ({@code retention.ms=-1}, not compacted); whoever can change the archive must not be able to delete or create topics.
 */
public final class KafkaAnchor implements Anchor {

    private static final String CLIENT = "org/apache/kafka/clients/producer/KafkaProducer.class";

    private final String name;
    private final KafkaTopic topic;

    /**
     * Names a topic.
     *
     * @param name of the anchor
     * @param topic which must be there
     * @param settings of Kafka's producer: {@code bootstrap.servers}, TLS, SASL
     * @throws BurstException if the library is missing
     */
    public KafkaAnchor(String name, String topic, Map<String, Object> settings) {
        requireClient();
        this.name = name;
        this.topic = new KafkaTopic(topic, settings);
    }

    private static void requireClient() {
        if (KafkaAnchor.class.getClassLoader().getResource(CLIENT) == null) {
            throw new BurstException(
                    BurstException.Code.INVALID_ARGUMENT,
                    "An anchor in a topic needs the library of Kafka: put kafka-clients on the class path.");
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public byte[] confirm(Checkpoint head, ArchiveReader archive) throws IOException {
        return topic.append(head.origin(), head.toString().getBytes(UTF_8)).getBytes(UTF_8);
    }

    @Override
    public void close() {
        topic.close();
    }

    /**
     * Checks that the topic still has the heads that the archive says it has, and the archive those that the topic has.
     * The topic is read once, as a whole.
     *
     * @param topic its name
     * @param settings of Kafka's consumer: {@code bootstrap.servers}, TLS, SASL
     * @return the check
     * @throws BurstException if the library is missing
     */
    public static AnswerCheck check(String topic, Map<String, Object> settings) {
        requireClient();
        return new Check(new KafkaTopic(topic, settings));
    }

    private static final class Check implements AnswerCheck {

        private final KafkaTopic topic;
        private Map<String, ConsumerRecord<byte[], byte[]>> records;

        Check(KafkaTopic topic) {
            this.topic = topic;
        }

        private Map<String, ConsumerRecord<byte[], byte[]>> records(String origin) throws IOException {
            if (records == null) {
                records = topic.read(origin);
            }
            return records;
        }

        @Override
        public Result check(Checkpoint head, byte[] answer) throws IOException {
            String place = new String(answer, UTF_8).replaceAll("timestamp: .*\n", "");
            ConsumerRecord<byte[], byte[]> record = records(head.origin()).get(place);
            return record != null
                            && Arrays.equals(record.value(), head.toString().getBytes(UTF_8))
                    ? Result.confirmed(Instant.ofEpochMilli(record.timestamp()))
                    : Result.wrong("this head is not there: " + place.strip().replace("\n", ", "));
        }

        @Override
        public List<Checkpoint> heads(String origin) throws IOException {
            List<Checkpoint> heads = new ArrayList<>();
            for (ConsumerRecord<byte[], byte[]> each : records(origin).values()) {
                try {
                    heads.add(Checkpoint.of(new String(each.value(), UTF_8)));
                } catch (IllegalArgumentException othersRecord) {
                    continue;
                }
            }
            return heads;
        }
    }
}

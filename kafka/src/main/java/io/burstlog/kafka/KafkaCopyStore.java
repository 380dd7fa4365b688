// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.BurstException;
import io.burstlog.copy.CopyBlock;
import io.burstlog.copy.CopyPlace;
import io.burstlog.copy.CopyStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/**
 * The copy of a ring in a topic of Apache Kafka that has one partition. Each message is a block, its key is the ring's
 * id; rings may share the topic.
 *
 * <p>DESIGN. {@link #fence} initializes a producer whose transactional id follows from the ring's id, and stores a note
 * in the topic. All that an older producer has stored lies before the note, and it can store nothing behind it: the
 * newest block before the note is the copy's end, unless one is missing before it. A block counts when the brokers have
 * acknowledged it. Whether its transaction was committed later does not count, so blocks are read uncommitted.
 *
 * <p>Not thread-safe; blocks are acknowledged in a thread of Kafka's producer.
 */
public final class KafkaCopyStore implements CopyStore {

    /** A transaction is committed at this part of the time after which the brokers would end it. */
    private static final int COMMITS_A_TIMEOUT = 3;

    private static final String TRANSACTION_TIMEOUT = "transaction.timeout.ms";
    private static final String API_TIMEOUT = "default.api.timeout.ms";
    private static final String MOST_REQUEST_BYTES = "max.request.size";

    static final Map<String, Object> DEFAULTS = Map.of(
            "request.timeout.ms",
            "5000",
            "delivery.timeout.ms",
            "15000",
            API_TIMEOUT,
            "15000",
            "max.block.ms",
            "15000",
            TRANSACTION_TIMEOUT,
            "60000",
            "linger.ms",
            "0",
            MOST_REQUEST_BYTES,
            Integer.toString(64 << 20),
            "buffer.memory",
            Integer.toString(128 << 20));

    private final byte[] ring;
    private final String topic;
    private final Map<String, Object> properties;
    private final String writerName = UUID.randomUUID().toString();
    private CopyWriter writer;
    private CopyTopic stored;
    private TopicPlace place;

    /** The offset of the newest message that this store knows to be its own; -1 before its first {@link #fence}. */
    private long lastOwn = -1;

    /**
     * Checks what can be checked without a broker.
     *
     * @param ringId the ring's id, 32 hexadecimal digits
     * @param topic it must be there, and have one partition
     * @param properties Kafka's own, of producer, consumer and admin alike; {@code bootstrap.servers} is required
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT}: a sentence about what is wrong
     */
    public KafkaCopyStore(String ringId, String topic, Map<String, String> properties) {
        this.properties = settings(topic, properties);
        ring = HexFormat.of().parseHex(ringId);
        this.topic = topic;
    }

    /** Checks topic and properties, and adds the defaults. */
    static Map<String, Object> settings(String topic, Map<String, String> properties) {
        if (topic == null || topic.isBlank()) {
            throw ShipperConfig.refused("topic is missing; set it to a topic with one partition that is there.");
        }
        if (properties.getOrDefault("bootstrap.servers", "").isBlank()) {
            throw ShipperConfig.refused("bootstrap.servers is missing; set it to HOST:PORT of a broker.");
        }
        if (!properties.getOrDefault(ShipperConfig.INTERCEPTORS, "").isBlank()) {
            throw ShipperConfig.refused(ShipperConfig.INTERCEPTORS
                    + " is set; leave it out: an interceptor may change the blocks of a copy.");
        }
        return ClientSettings.of(DEFAULTS, properties);
    }

    @Override
    public CopyBlock fence() throws IOException, FencedException, InterruptedException {
        close();
        called(this::openReader);
        requireNobodyElse(); // A later writer is not even disturbed.
        called(this::openWriter);
        requireNobodyElse();
        lastOwn = called(() -> writer.note(CopyTopic.begunBy(writerName)));
        ConsumerRecord<byte[], byte[]> newest = called(() -> stored.newestBefore(lastOwn));
        if (newest != null && CopyTopic.isTaken(newest)) {
            throw new RefusedException("its records were recovered on another host, which took it over in topic "
                    + topic + " at offset " + newest.offset());
        }
        return newest == null ? null : block(newest);
    }

    /** Looks for a note of another writer behind the last own message: only such a writer can have fenced this one. */
    private void requireNobodyElse() throws IOException, FencedException, InterruptedException {
        boolean[] isOther = new boolean[1];
        if (lastOwn >= 0) {
            called(() -> {
                stored.read(
                        lastOwn + 1,
                        stored.end(),
                        message -> isOther[0] |= !CopyTopic.isBlock(message) && !CopyTopic.isOf(writerName, message));
                return null;
            });
        }
        if (isOther[0]) {
            throw new FencedException(
                    "another copier of this ring has begun, or its records were recovered, in topic " + topic);
        }
    }

    private Void openReader() {
        stored = new CopyTopic(Brokers.consumer(properties, "read_uncommitted"), partition(), ring, nanos(API_TIMEOUT));
        return null;
    }

    /** No older producer of the ring adds a message once this has returned. */
    private Void openWriter() throws ExecutionException, InterruptedException {
        Admin admin = Admin.create(properties);
        try {
            if (!Brokers.hasFeature(admin, properties.get("bootstrap.servers").toString())) {
                throw new RefusedException("the brokers do not have feature " + Brokers.FEATURE + " at level "
                        + Brokers.FEATURE_LEVEL + " (KIP-890, Kafka 4.0): there an older copier can add a block that"
                        + " comes late. Upgrade them and that feature");
            }
            writer = new CopyWriter(
                    Brokers.producer(
                            properties, "burstlog-copy-" + HexFormat.of().formatHex(ring)),
                    partition(),
                    ring,
                    nanos(TRANSACTION_TIMEOUT) / COMMITS_A_TIMEOUT,
                    System::nanoTime);
            writer.begin();
            place = TopicPlace.of(admin, topic, (int) number(MOST_REQUEST_BYTES));
        } finally {
            admin.close(Duration.ZERO); // An interrupted thread waits for no answer.
        }
        return null;
    }

    private TopicPartition partition() {
        return new TopicPartition(topic, 0);
    }

    private long nanos(String name) {
        return TimeUnit.MILLISECONDS.toNanos(number(name));
    }

    /** Kafka's client passes over spaces around a number, too. */
    private long number(String name) {
        return Long.parseLong(properties.get(name).toString().trim());
    }

    private CopyBlock block(ConsumerRecord<byte[], byte[]> message) throws IOException {
        return CopyBlock.read(ByteBuffer.wrap(message.value()), "offset " + message.offset() + " of topic " + topic);
    }

    /**
     * Takes the copy over for good: from its return on no store of this ring adds a block to the topic, and none begins
     * again.
     *
     * @return whether the topic has a block of the ring; if it has none, nothing is taken over
     */
    boolean take() throws IOException, InterruptedException {
        close();
        called(this::openReader);
        called(this::openWriter);
        if (!called(() -> stored.hasCopyBefore(stored.end()))) {
            return false;
        }
        called(() -> writer.note(CopyTopic.taken()));
        return true;
    }

    @Override
    public void send(CopyBlock block, Runnable acknowledged) throws IOException, InterruptedException {
        writer.send(block.bytes(), acknowledged);
    }

    @Override
    public void check() throws IOException {
        try {
            writer.check();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IOException("topic " + topic + ": interrupted", stopped);
        }
    }

    @Override
    public void readBack(Reader reader) throws IOException, InterruptedException {
        called(() -> {
            if (stored == null) {
                openReader();
            }
            stored.readAll(message -> {
                if (CopyTopic.isBlock(message)) {
                    reader.block(block(message));
                }
            });
            return null;
        });
    }

    @Override
    public CopyPlace place() {
        return place.place();
    }

    @Override
    public int mostBlockBytes() {
        return place.mostBlockBytes();
    }

    /** A call that may wait for brokers. */
    private interface Call<T> {
        T run() throws IOException, ExecutionException, InterruptedException;
    }

    private <T> T called(Call<T> call) throws IOException, InterruptedException {
        try {
            return call.run();
        } catch (InterruptException stopped) {
            throw CopyWriter.interrupted(stopped);
        } catch (KafkaException | ExecutionException failed) {
            throw new IOException("topic " + topic + ": " + Announcements.textOf(failed), failed);
        }
    }

    @Override
    public void close() {
        CopyTopic reader = stored;
        CopyWriter last = writer;
        stored = null;
        writer = null;
        try (reader;
                last) {
            if (last != null && lastOwn >= 0) {
                lastOwn = Math.max(lastOwn, last.lastOffset());
            }
        } catch (InterruptException stillToBeSeenByTheCaller) {
            // Both are closed, and Kafka has set the flag again.
        }
    }
}

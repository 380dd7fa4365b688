// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.Drain;
import io.burstlog.Durability;
import io.burstlog.RecordBuffer;
import io.burstlog.Segments;
import io.burstlog.StreamConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A log with a stream whose records, "record 1" and so on, go to a folder of segments; and the check that a topic has
 * them.
 */
final class WrittenStream implements AutoCloseable {

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

    private final Path folder;
    private final BurstLog log;
    private final BurstStream stream;
    private final RecordBuffer record = RecordBuffer.allocate(64, 64);
    private volatile long written;

    WrittenStream(Path directory) throws IOException {
        this(directory, Drain.INNER);
    }

    WrittenStream(Path directory, Drain drain) throws IOException {
        Files.createDirectories(directory);
        folder = directory.resolve("orders.segments");
        log = BurstLog.open(BurstConfig.builder()
                .ring(ring(directory).toString())
                .ringBytes(8 << 20)
                .durability(Durability.PROCESS)
                .window(directory.toString())
                .drain(drain)
                .build());
        stream = log.stream(
                "orders",
                StreamConfig.builder()
                        .fileName(directory.resolve("orders.log").toString())
                        .segments(Segments.in(folder.toString()).bytes(1 << 17))
                        .build());
    }

    static Path ring(Path directory) {
        return directory.resolve("orders.ring");
    }

    Path folder() {
        return folder;
    }

    long written() {
        return written;
    }

    void write(int count) {
        for (int i = 0; i < count; i++) {
            record.clear().put(ByteBuffer.wrap(("record " + (written + 1)).getBytes(UTF_8)));
            stream.enqueue(record, System.currentTimeMillis() * 1_000_000);
            written++;
        }
    }

    void awaitDrained() {
        assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
    }

    ShipperConfig.Builder shipper(Broker broker, String topic) {
        return ShipperConfig.builder()
                .folder(folder.toString())
                .topic(topic)
                .property("bootstrap.servers", broker.servers())
                .property("default.api.timeout.ms", "20000")
                .property("max.block.ms", "5000")
                .property("request.timeout.ms", "4000")
                .property("delivery.timeout.ms", "5000")
                .property("retry.backoff.ms", "20")
                .property("reconnect.backoff.max.ms", "200");
    }

    /** Waits until the shipper says that all records are in the topic. */
    void awaitShipped(KafkaShipper shipper) throws InterruptedException {
        awaitDrained();
        long begin = System.nanoTime();
        while (shipper.stats().shippedNumber() < written) {
            assertThat(shipper.failure()).isNull();
            assertThat(System.nanoTime() - begin).as("%s", shipper.stats()).isLessThan(LONG_ENOUGH.toNanos());
            Thread.sleep(5);
        }
    }

    /** Each record is there once; each partition is in order. */
    void assertAllOnce(List<ConsumerRecord<byte[], byte[]>> found) {
        assertFrom(1, found);
    }

    void assertFrom(long first, List<ConsumerRecord<byte[], byte[]>> found) {
        Map<Integer, Long> last = new HashMap<>();
        boolean[] isThere = new boolean[(int) written + 1];
        for (ConsumerRecord<byte[], byte[]> each : found) {
            long number = number(each, TopicRecords.NUMBER);
            assertThat(number).isGreaterThan(last.getOrDefault(each.partition(), 0L));
            last.put(each.partition(), number);
            assertThat(isThere[(int) number])
                    .as("record %d is there already", number)
                    .isFalse();
            isThere[(int) number] = true;
            assertThat(new String(each.value(), UTF_8)).isEqualTo("record " + number);
        }
        assertThat(found).hasSize((int) (written - first + 1));
    }

    static long number(ConsumerRecord<byte[], byte[]> record, String header) {
        return Long.parseLong(text(record, header));
    }

    static String text(ConsumerRecord<byte[], byte[]> record, String header) {
        return new String(record.headers().lastHeader(header).value(), UTF_8);
    }

    @Override
    public void close() {
        stream.close();
        log.close();
    }
}

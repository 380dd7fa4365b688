// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstEvent;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInfo;

/** The common part of tests with a shipper and a broker. */
abstract class ShipperRig {

    static final Path WORK = Path.of("target", "shipper").toAbsolutePath();
    static Broker broker;

    final Queue<BurstEvent> told = new ConcurrentLinkedQueue<>();
    private WrittenStream stream;

    @BeforeAll
    static void startBroker() throws IOException {
        SharedBroker.deleteTree(WORK);
        Files.createDirectories(WORK);
        broker = SharedBroker.get();
    }

    /** If a test ends early its log stays open; the next test has another one. */
    WrittenStream open(TestInfo test) throws IOException {
        stream = new WrittenStream(
                WORK.resolve(test.getTestMethod().orElseThrow().getName()));
        return stream;
    }

    ShipperConfig.Builder config(String topic) {
        return stream.shipper(broker, topic).listener(told::add);
    }

    KafkaShipper start(String topic) {
        return KafkaShipper.start(config(topic).build());
    }

    static void await(BooleanSupplier condition) throws InterruptedException {
        for (long begin = System.nanoTime(); !condition.getAsBoolean(); Thread.sleep(5)) {
            assertThat(System.nanoTime() - begin)
                    .isLessThan(Duration.ofSeconds(60).toNanos());
        }
    }

    String awaitTold(BurstEvent.Severity severity, String words) throws InterruptedException {
        Supplier<Optional<String>> found = () -> told.stream()
                .filter(event -> event.severity() == severity)
                .map(BurstEvent::text)
                .filter(text -> text.contains(words))
                .findFirst();
        try {
            await(() -> found.get().isPresent());
        } catch (AssertionError late) {
            throw new AssertionError("\"" + words + "\" was not told, but: " + told, late);
        }
        return found.get().orElseThrow();
    }

    static boolean isShownAsEnded(String consumer) throws Exception {
        ObjectName shown = new ObjectName("io.burstlog:type=Shipper,consumer=\"" + consumer + "\",*");
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        return (boolean)
                server.getAttribute(server.queryNames(shown, null).iterator().next(), "Ended");
    }

    KafkaProducer<byte[], byte[]> otherProducer(String id) {
        Map<String, Object> properties = new HashMap<>(broker.client());
        properties.put("transactional.id", id);
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    static Process startProcess(WrittenStream written, String topic) throws IOException {
        return Broker.java(
                WORK.resolve("shipper.out"),
                Main.class.getName(),
                written.folder().toString(),
                "--topic",
                topic,
                "--property",
                "bootstrap.servers=" + broker.servers(),
                "--property",
                "max.block.ms=5000");
    }
}

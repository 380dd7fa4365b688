// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstConsumer;
import io.burstlog.BurstEvent;
import io.burstlog.ConsumedRecords;
import io.burstlog.Drain;
import io.burstlog.kafka.ShipperStats.State;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/** A shipper and a broker are killed and disturbed: a reader of committed records has each record once, in order. */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ShipperIT extends ShipperRig {

    /** The number of kills of the shipper; -Dship.rounds=500 for the long run. */
    private static final int ROUNDS = Integer.getInteger("ship.rounds", 2);

    @Test
    @Order(1)
    void eachRecordIsInTheTopicOnceWithItsHeaders(TestInfo test) throws Exception {
        broker.createTopic("headers", 3);
        try (WrittenStream written = open(test)) {
            written.write(2_000);
            try (KafkaShipper shipper = start("headers")) {
                written.awaitShipped(shipper);
                written.write(100);
                written.awaitShipped(shipper);
                await(() -> shipper.stats().lagRecords() == 0);
                assertThat(shipper.stats().records()).isEqualTo(2_100);
                assertThat(shipper.stats().state()).isEqualTo(State.SHIPPING);
                ObjectName shown = new ObjectName("io.burstlog:type=Shipper,topic=\"headers\",*");
                MBeanServer server = ManagementFactory.getPlatformMBeanServer();
                ObjectName name = server.queryNames(shown, null).iterator().next();
                assertThat(server.getAttribute(name, "Records")).isEqualTo(2_100L);
                assertThat(server.getAttribute(name, "State")).isEqualTo("SHIPPING");
                // A topic may take committed records along when it goes: the folder keeps them for one second more.
                Thread.sleep(500); // else its next look is up to a second away
                long begin = System.nanoTime();
                written.write(1);
                await(() ->
                        BurstConsumer.look(written.folder().toString()).get(0).acknowledged() == 2_101);
                assertThat(System.nanoTime() - begin)
                        .isGreaterThan(Duration.ofSeconds(1).toNanos());
            }
            List<ConsumerRecord<byte[], byte[]>> found = broker.read("headers");
            written.assertAllOnce(found);
            assertThat(found)
                    .extracting(ConsumerRecord::partition)
                    .containsOnly(found.get(0).partition());
            ConsumerRecord<byte[], byte[]> last = found.get(found.size() - 1);
            assertThat(WrittenStream.text(last, "burst-stream")).isEqualTo("orders");
            assertThat(WrittenStream.number(last, "burst-sequence")).isEqualTo(2_101);
            assertThat(WrittenStream.number(last, "burst-time")).isPositive();
            assertThat(WrittenStream.text(last, "burst-ring")).matches("[0-9a-f]{32}");
            assertThat(last.key()).isNull();
        }
    }

    @Test
    @Order(2)
    void theTopicSaysWhereToGoOnAndNotTheFolder(TestInfo test) throws Exception {
        broker.createTopic("place", 4);
        try (WrittenStream written = open(test)) {
            written.write(1_500);
            Function<ConsumedRecords, byte[]> key =
                    record -> Long.toString(record.number() % 7).getBytes(UTF_8);
            try (KafkaShipper shipper =
                    KafkaShipper.start(config("place").key(key).build())) {
                written.awaitShipped(shipper);
            }
            Headers ofAnother = new RecordHeaders()
                    .add(TopicRecords.SOURCE, "0".repeat(32).getBytes(UTF_8))
                    .add(TopicRecords.NUMBER, "2000000".getBytes(UTF_8));
            try (KafkaProducer<byte[], byte[]> other = otherProducer("place")) {
                other.initTransactions();
                other.beginTransaction();
                for (int partition = 0; partition < 4; partition++) {
                    other.send(new ProducerRecord<>("place", partition, (byte[]) null, new byte[3], ofAnother));
                }
                other.commitTransaction();
            }
            written.write(500);
            // Another consumer name has no position yet: it would begin with the first record.
            try (KafkaShipper shipper = KafkaShipper.start(
                    config("place").consumer("another").key(key).build())) {
                written.awaitShipped(shipper);
                assertThat(shipper.stats().records()).isEqualTo(500);
            }
            List<ConsumerRecord<byte[], byte[]>> found = broker.read("place");
            assertThat(found.removeIf(each -> each.value().length == 3)).isTrue();
            written.assertAllOnce(found);
            Map<Long, Integer> partitions = new HashMap<>();
            for (ConsumerRecord<byte[], byte[]> each : found) {
                long group = WrittenStream.number(each, TopicRecords.NUMBER) % 7;
                assertThat(each.key()).isEqualTo(Long.toString(group).getBytes(UTF_8));
                assertThat(partitions.computeIfAbsent(group, any -> each.partition()))
                        .isEqualTo(each.partition());
            }
            assertThat(partitions.values().stream().distinct()).hasSizeGreaterThan(1);
        }
    }

    /** Committed records behind another producer's open transaction exist, though nobody can read them. */
    @Test
    @Order(3)
    void anOpenTransactionOfAnotherHidesNothing(TestInfo test) throws Exception {
        broker.createTopic("shared", 1);
        try (WrittenStream written = open(test);
                KafkaProducer<byte[], byte[]> other = otherProducer("other")) {
            other.initTransactions();
            try (KafkaShipper shipper = start("shared")) {
                await(() -> shipper.stats().state() == State.SHIPPING);
                other.beginTransaction();
                other.send(new ProducerRecord<>("shared", new byte[3])).get();
                written.write(700);
                written.awaitShipped(shipper);
            }
            assertThat(broker.read("shared")).isEmpty();
            written.write(20);
            try (KafkaShipper shipper =
                    KafkaShipper.start(config("shared").consumer("another").build())) {
                Thread.sleep(500);
                assertThat(shipper.stats().state()).isEqualTo(State.CONNECTING);
                other.abortTransaction();
                written.awaitShipped(shipper);
            }
            written.assertAllOnce(broker.read("shared"));
        }
    }

    @Test
    @Order(4)
    void ofTwoShippersTheSecondFencesTheFirst(TestInfo test) throws Exception {
        broker.createTopic("fenced", 1);
        try (WrittenStream written = open(test);
                KafkaShipper first = start("fenced")) {
            written.write(300);
            written.awaitShipped(first);
            try (KafkaShipper second =
                    KafkaShipper.start(config("fenced").consumer("second").build())) {
                await(() -> second.stats().state() == State.SHIPPING);
                written.write(300);
                written.awaitShipped(second);
                assertThat(first.awaitEnd(Duration.ofSeconds(60))).isTrue();
                assertThat(first.stats().state()).isEqualTo(State.FAILED);
                assertThat(first.failure()).contains("another shipper");
                awaitTold(BurstEvent.Severity.ERROR, "another shipper");
                assertThat(isShownAsEnded("to-kafka-fenced")).isTrue();
                assertThat(isShownAsEnded("second")).isFalse();
                written.write(300);
                written.awaitShipped(second);
            }
            written.assertAllOnce(broker.read("fenced"));
        }
    }

    @Test
    @Order(5)
    void aTopicMayBeMissingAndComeAgain(TestInfo test) throws Exception {
        try (WrittenStream written = open(test)) {
            written.write(100);
            try (KafkaShipper shipper = start("again")) {
                awaitTold(BurstEvent.Severity.WARN, "topic again gets no records for the moment");
                await(() -> shipper.stats().lagRecords() == 100);
                broker.createTopic("again", 1);
                written.awaitShipped(shipper);
                awaitTold(BurstEvent.Severity.WARN, "gets records again");
                written.assertAllOnce(broker.read("again"));
                broker.deleteTopic("again");
                broker.createTopic("again", 1);
                written.write(50);
                // The first records may still go to the old topic.
                await(() -> {
                    written.write(1);
                    return told.stream().anyMatch(event -> event.text().contains("topic again was made anew"));
                });
                written.awaitShipped(shipper);
                // The old topic's records are gone with it, except those that were under way.
                String anew = awaitTold(BurstEvent.Severity.WARN, "topic again was made anew");
                long first = Long.parseLong(anew.replaceFirst(".*from number (\\d+) on.*", "$1"));
                assertThat(first).isLessThanOrEqualTo(101);
                written.assertFrom(first, broker.read("again"));
            }
        }
    }

    @Test
    @Order(6)
    void whatIsMissingInTheFolderIsToldInTheTopic(TestInfo test) throws Exception {
        broker.createTopic("missing", 1);
        try (WrittenStream written = open(test)) {
            List<Path> segments = segmentsAfter(written, 4_000);
            assertThat(segments).hasSizeGreaterThan(2);
            Files.delete(segments.get(1));
            try (KafkaShipper shipper = start("missing")) {
                written.awaitShipped(shipper);
            }
            // The topic's last record is in no segment any more when the next shipper begins.
            segments = segmentsAfter(written, 3_000);
            for (Path old : segments.subList(0, segments.size() - 1)) {
                Files.delete(old);
            }
            try (KafkaShipper shipper = start("missing")) {
                written.awaitShipped(shipper);
            }
            long next = 1;
            int markers = 0;
            for (ConsumerRecord<byte[], byte[]> each : broker.read("missing")) {
                if (each.headers().lastHeader(TopicRecords.KIND) != null) {
                    assertThat(WrittenStream.text(each, TopicRecords.KIND)).isEqualTo("missing");
                    assertThat(each.value()).isEmpty();
                    next += WrittenStream.number(each, TopicRecords.COUNT) - 1;
                    markers++;
                }
                assertThat(WrittenStream.number(each, TopicRecords.NUMBER)).isEqualTo(next++);
            }
            assertThat(markers).isEqualTo(2);
            assertThat(next).isEqualTo(7_001);
        }
    }

    /** docs/segments.md says so: another folder takes its place, with an empty head. The log is open all the time. */
    @Test
    @Order(7)
    void aFolderThatIsBegunAnewIsShippedByItself(TestInfo test) throws Exception {
        broker.createTopic("anew", 1);
        try (WrittenStream written = open(test)) {
            written.write(100);
            try (KafkaShipper shipper = start("anew")) {
                written.awaitShipped(shipper);
                awaitTold(BurstEvent.Severity.INFO, "topic anew gets the records of " + written.folder());
                awaitTold(BurstEvent.Severity.INFO, "topic anew has caught up");
                SharedBroker.deleteTree(written.folder());
                awaitTold(BurstEvent.Severity.WARN, "up to number 100: segments folder " + written.folder());
                written.write(10); // they wait in the ring
                Files.createDirectory(written.folder());
                Files.createFile(written.folder().resolve("head"));
                awaitTold(BurstEvent.Severity.WARN, "topic anew gets records again, from number 101 on");
                written.awaitShipped(shipper);
                // Once more, by moving it.
                Files.move(written.folder(), written.folder().resolveSibling("before"));
                Files.createDirectory(written.folder());
                Files.createFile(written.folder().resolve("head"));
                written.write(10);
                written.awaitShipped(shipper);
                await(() -> shipper.stats().lagRecords() == 0);
            }
            written.assertAllOnce(broker.read("anew"));
            assertThat(broker.read("anew").stream()
                            .map(each -> WrittenStream.text(each, TopicRecords.SOURCE))
                            .distinct())
                    .hasSize(3);
        }
    }

    @Test
    @Order(10)
    void inAFolderThatIsGoneNothingWaits(TestInfo test) throws Exception {
        try (WrittenStream written = open(test)) {
            written.write(100);
            try (KafkaShipper shipper = start("gone")) {
                await(() -> shipper.stats().lagRecords() == 100); // there is no topic
                SharedBroker.deleteTree(written.folder());
                broker.createTopic("gone", 1);
                awaitTold(BurstEvent.Severity.WARN, ": segments folder " + written.folder());
                assertThat(shipper.stats().lagRecords()).isZero();
                assertThat(shipper.stats().lagSeconds()).isZero();
            }
        }
    }

    private static List<Path> segmentsAfter(WrittenStream written, int count) throws IOException {
        for (int left = count; left > 0; left -= 1_000) {
            written.write(1_000);
            written.awaitDrained();
        }
        try (Stream<Path> files = Files.list(written.folder())) {
            return files.filter(file -> file.toString().endsWith(".seg"))
                    .sorted()
                    .toList();
        }
    }

    /**
     * The log is written all the time, and the shipper is a process of its own. In the midst the broker is killed, too.
     */
    @Test
    @Order(8)
    void shipperAndBrokerAreKilled(TestInfo test) throws Exception {
        broker.createTopic("killed", 1);
        int brokerKills = 0;
        try (WrittenStream written = open(test)) {
            Thread writing = new Thread(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    written.write(20);
                    LockSupport.parkNanos(2_000_000);
                }
            });
            writing.start();
            List<Long> shipped = new ArrayList<>();
            for (int round = 1; round <= ROUNDS; round++) {
                Process shipper = startProcess(written, "killed");
                if (round % 3 == 0) {
                    awaitProgress("killed");
                    broker.kill();
                    broker.start();
                    brokerKills++;
                }
                awaitProgress("killed");
                Broker.kill(shipper);
                shipped.add(broker.end("killed"));
            }
            writing.interrupt();
            writing.join();
            try (KafkaShipper shipper = start("killed")) {
                written.awaitShipped(shipper);
            }
            written.assertAllOnce(broker.read("killed"));
            System.out.println(written.written()
                    + " records are in the topic, each once, in order: the shipper was killed " + ROUNDS
                    + " times, at offsets " + shipped + ", and the broker " + brokerKills + " times.");
        }
    }

    /** An application that neither drains nor ships: two other processes do, and the first of them dies once. */
    @Test
    @Order(9)
    void aDrainOfItsOwnFeedsAShipperOfItsOwn(TestInfo test) throws Exception {
        broker.createTopic("outside", 1);
        Path directory = WORK.resolve(test.getTestMethod().orElseThrow().getName());
        new WrittenStream(directory).close(); // makes the ring
        Process drain = startDrain(directory);
        try (WrittenStream written = new WrittenStream(directory, Drain.EXTERNAL)) {
            Process shipper = startProcess(written, "outside");
            written.write(5_000);
            await(() -> broker.end("outside") > 0);
            Broker.kill(drain);
            written.write(5_000);
            drain = startDrain(directory);
            written.write(5_000);
            written.awaitDrained();
            await(() -> BurstConsumer.look(written.folder().toString()).get(0).acknowledged() == written.written());
            Broker.kill(shipper);
            written.assertAllOnce(broker.read("outside"));
        } finally {
            Broker.kill(drain);
        }
    }

    @Test
    @Order(10)
    void whatATopicMayHaveTakenAlongIsShippedAgainWhenItIsMadeAnew(TestInfo test) throws Exception {
        assertShippedAgain("replaced", Duration.ZERO, test);
    }

    @Test
    @Order(11)
    void whatATopicMayHaveTakenAlongIsKeptWhileThereIsNone(TestInfo test) throws Exception {
        assertShippedAgain("away", Duration.ofSeconds(3), test);
    }

    /** Nothing is written behind the records that were committed just before their topic was deleted. */
    private void assertShippedAgain(String name, Duration away, TestInfo test) throws Exception {
        try (WrittenStream written = open(test)) {
            boolean isTried = false;
            // If the machine stands still, the records are acknowledged before their topic is deleted.
            for (int attempt = 1; !isTried; attempt++) {
                String topic = name + attempt;
                broker.createTopic(topic, 1);
                written.write(10);
                try (KafkaShipper shipper = start(topic)) {
                    written.awaitShipped(shipper);
                    broker.deleteTopic(topic);
                    isTried = acknowledged(written, topic) < written.written();
                    Thread.sleep(away.toMillis()); // so long the shipper has no topic
                    broker.createTopic(topic, 1);
                    if (isTried) {
                        awaitTold(
                                BurstEvent.Severity.WARN,
                                "topic " + topic + " was made anew: what was under way to"
                                        + " the old one, from number 1 on");
                        awaitTold(BurstEvent.Severity.WARN, "topic " + topic + " gets records again, from number 1 on");
                        written.awaitShipped(shipper);
                        written.assertAllOnce(broker.read(topic));
                    }
                }
            }
        }
    }

    private static long acknowledged(WrittenStream written, String topic) {
        return BurstConsumer.look(written.folder().toString()).stream()
                .filter(each -> each.name().equals("to-kafka-" + topic))
                .findFirst()
                .orElseThrow()
                .acknowledged();
    }

    private static Process startDrain(Path directory) throws IOException {
        return new ProcessBuilder(
                        System.getProperty("burstlog.cli"),
                        "drain",
                        "--window",
                        directory.toString(),
                        WrittenStream.ring(directory).toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("drain.txt").toFile()))
                .start();
    }

    /** Waits for a random number of further records, committed or not. */
    private static void awaitProgress(String topic) throws InterruptedException {
        long begin = broker.end(topic);
        long more = ThreadLocalRandom.current().nextLong(1, 5_000);
        await(() -> broker.end(topic) >= begin + more);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstEvent;
import io.burstlog.kafka.ShipperStats.State;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** A shipper that must not ship, or cannot yet: its records in the topic, and its messages. */
@Timeout(300)
class ShipperRefusedIT extends ShipperRig {

    @Test
    void brokersWithoutTheFeatureAreRefusedUnlessTheyAreAccepted(TestInfo test) throws Exception {
        broker.createTopic("old", 1);
        setFeature(0, FeatureUpdate.UpgradeType.SAFE_DOWNGRADE);
        try (WrittenStream written = open(test)) {
            written.write(100);
            try (KafkaShipper refused = start("old")) {
                assertThat(refused.awaitEnd(Duration.ofSeconds(60))).isTrue();
                assertThat(refused.failure()).contains("KIP-890");
            }
            Process process = startProcess(written, "old");
            assertThat(process.waitFor()).isEqualTo(3);
            try (KafkaShipper accepted =
                    KafkaShipper.start(config("old").acceptOldBrokers(true).build())) {
                written.awaitShipped(accepted);
                awaitTold(BurstEvent.Severity.WARN, "below Kafka 4.0");
            }
            written.assertAllOnce(broker.read("old"));
        } finally {
            setFeature(2, FeatureUpdate.UpgradeType.UPGRADE);
        }
    }

    private static void setFeature(int level, FeatureUpdate.UpgradeType how) throws Exception {
        broker.admin()
                .updateFeatures(
                        Map.of("transaction.version", new FeatureUpdate((short) level, how)),
                        new UpdateFeaturesOptions())
                .all()
                .get();
    }

    @Test
    void whatCannotBeMeantIsRefused() {
        ShipperConfig.Builder config =
                ShipperConfig.builder().folder("segments").topic("orders").property("bootstrap.servers", "here:1");
        config.build();
        assertRefused("folder", () -> ShipperConfig.builder().topic("orders").build());
        assertRefused("topic", () -> ShipperConfig.builder().folder("segments").build());
        assertRefused("bootstrap.servers", () -> Main.read(new String[] {"segments", "--topic", "orders"}));
        assertRefused("--topic", () -> Main.read(new String[] {"segments", "--topic"}));
        assertRefused("--nonsense", () -> Main.read(new String[] {"segments", "--nonsense", "1"}));
        assertRefused("FOLDER", () -> Main.read(new String[] {"--topic", "orders"}));
        assertRefused("--partition one", () -> Main.read(new String[] {"segments", "--partition", "one"}));
        assertRefused("no.such.file", () -> Main.read(new String[] {"segments", "--properties", "no.such.file"}));
        assertRefused("a key", () -> config.partition(1).key(record -> null).build());
        assertRefused(
                "transactionBytes", () -> config.key(null).transactionBytes(0).build());
        assertRefused(
                "interceptor.classes",
                () -> config.transactionBytes(1)
                        .property("interceptor.classes", "any.Interceptor")
                        .build());
    }

    private static void assertRefused(String word, ThrowingCallable call) {
        assertThatThrownBy(call).hasMessageContaining(word);
    }

    /** A folder that was turned back looks so: the topic has a record with a number that the folder never had. */
    @Test
    void aFolderThatWasTurnedBackIsNotShipped(TestInfo test) throws Exception {
        broker.createTopic("ahead", 1);
        try (WrittenStream written = open(test)) {
            written.write(10);
            try (KafkaShipper shipper = start("ahead")) {
                written.awaitShipped(shipper);
            }
            Headers headers = new RecordHeaders(broker.read("ahead").get(9).headers());
            headers.remove(TopicRecords.NUMBER).add(TopicRecords.NUMBER, "20".getBytes(UTF_8));
            try (KafkaProducer<byte[], byte[]> other = otherProducer("ahead")) {
                other.initTransactions();
                other.beginTransaction();
                other.send(new ProducerRecord<>("ahead", 0, (byte[]) null, "record 10".getBytes(UTF_8), headers));
                other.commitTransaction();
            }
            written.write(5);
            try (KafkaShipper shipper = start("ahead")) {
                awaitTold(BurstEvent.Severity.WARN, "ends before number 20, which the topic has");
                written.write(15);
                assertThat(shipper.awaitEnd(Duration.ofSeconds(60))).isTrue();
                assertThat(shipper.failure()).contains("turned back");
            }
            assertThat(broker.read("ahead")).hasSize(11);
        }
    }

    /** The last records of the folder went to the partition whose records are deleted. */
    @Test
    void whatTheTopicHasLostIsShippedAgain(TestInfo test) throws Exception {
        broker.createTopic("lost", 2);
        try (WrittenStream written = open(test)) {
            shipTo(0, "lost", written);
            shipTo(1, "lost", written);
            broker.admin()
                    .deleteRecords(Map.of(new TopicPartition("lost", 1), RecordsToDelete.beforeOffset(-1)))
                    .all()
                    .get();
            shipTo(0, "lost", written);
            awaitTold(BurstEvent.Severity.WARN, "topic lost has lost the records with numbers 11 to 20 again");
            written.assertAllOnce(broker.read("lost"));
        }
    }

    @Test
    void aFolderThatGetsItsPartitionOfBeforeGoesOnBehindTheOtherOne(TestInfo test) throws Exception {
        broker.createTopic("moved", 2);
        try (WrittenStream written = open(test)) {
            shipTo(0, "moved", written);
            shipTo(1, "moved", written);
            shipTo(0, "moved", written);
            written.assertAllOnce(broker.read("moved"));
            assertThat(told).extracting(BurstEvent::text).noneMatch(text -> text.contains("has lost"));
        }
    }

    @Test
    void aFolderThatLosesItsKeysGoesOnBehindAllPartitions(TestInfo test) throws Exception {
        broker.createTopic("unkeyed", 3);
        try (WrittenStream written = open(test)) {
            written.write(30);
            ShipperConfig keyed = config("unkeyed")
                    .key(record -> Long.toString(record.number() % 10).getBytes(UTF_8))
                    .build();
            try (KafkaShipper shipper = KafkaShipper.start(keyed)) {
                written.awaitShipped(shipper);
            }
            List<ConsumerRecord<byte[], byte[]>> found = broker.read("unkeyed");
            int ofTheLast = found.stream()
                    .filter(each -> WrittenStream.number(each, TopicRecords.NUMBER) == 30)
                    .findFirst()
                    .orElseThrow()
                    .partition();
            int another = found.stream()
                    .mapToInt(ConsumerRecord::partition)
                    .filter(partition -> partition != ofTheLast)
                    .findFirst()
                    .orElseThrow();
            shipTo(another, "unkeyed", written);
            written.assertAllOnce(broker.read("unkeyed"));
            assertThat(told).extracting(BurstEvent::text).noneMatch(text -> text.contains("has lost"));
        }
    }

    private void shipTo(int partition, String topic, WrittenStream written) throws InterruptedException {
        written.write(10);
        try (KafkaShipper shipper =
                KafkaShipper.start(config(topic).partition(partition).build())) {
            written.awaitShipped(shipper);
        }
    }

    /**
     * The broker takes the last record of a transaction only when the topic is changed. Those before it get through,
     * but for some that come with it in the smallest transaction.
     */
    @Test
    void aTransactionThatFailsIsEndedAndComesAgain(TestInfo test) throws Exception {
        broker.createTopic("long", 1);
        setLargest("long", 2_000);
        try (WrittenStream written = open(test)) {
            written.write(200);
            written.awaitDrained();
            ShipperConfig config = config("long")
                    .key(record -> record.number() < 200 ? null : new byte[4_000])
                    .property("batch.size", "1")
                    .build();
            long shipped;
            try (KafkaShipper shipper = KafkaShipper.start(config)) {
                awaitTold(BurstEvent.Severity.WARN, "topic long gets no records for the moment");
                assertThat(shipper.stats().state()).isEqualTo(State.WAITING);
                shipped = shipper.stats().shippedNumber();
                assertThat(shipped).isBetween(140L, 199L);
                await(() -> shipper.stats().lagRecords() == 200 - shipped);
                // Long enough for a resting shipper to look how much is left.
                await(() -> {
                    assertThat(shipper.stats().shippedNumber()).isEqualTo(shipped);
                    assertThat(shipper.stats().lagRecords()).isEqualTo(200 - shipped);
                    return shipper.stats().failures() == 6;
                });
            }
            assertThat(told).hasSize(2);
            assertThat(broker.openTransactionsOf("long")).isEmpty();
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.startsWith("kafka-producer") && name.endsWith("-long"));
            assertThat(broker.read("long")).hasSize((int) shipped);
            try (KafkaShipper shipper = KafkaShipper.start(config)) {
                await(() -> shipper.stats().failures() > 0);
                setLargest("long", 10_000);
                written.awaitShipped(shipper);
                awaitTold(BurstEvent.Severity.WARN, "gets records again, from number " + (shipped + 1) + " on");
            }
            written.assertAllOnce(broker.read("long"));
        }
    }

    /** First the topic is missing, then it takes no record of this length. */
    @Test
    void anotherReasonIsToldOnceItLasts(TestInfo test) throws Exception {
        try (WrittenStream written = open(test)) {
            written.write(1);
            written.awaitDrained();
            ShipperConfig config =
                    config("late").key(record -> new byte[2 << 20]).build();
            try (KafkaShipper shipper = KafkaShipper.start(config)) {
                awaitTold(BurstEvent.Severity.WARN, "topic late gets no records for the moment");
                broker.createTopic("late", 1);
                awaitTold(BurstEvent.Severity.WARN, "message larger than the max message size");
                long failures = shipper.stats().failures();
                await(() -> shipper.stats().failures() > failures);
            }
            assertThat(told).hasSize(2);
        }
    }

    @Test
    void whatTheUserSaysOfTheProducerCounts(TestInfo test) throws Exception {
        broker.createTopic("settings", 1);
        try (WrittenStream written = open(test)) {
            written.write(1);
            written.awaitDrained();
            ShipperConfig config = config("settings")
                    .property("max.request.size", "1000")
                    .key(record -> new byte[2000])
                    .build();
            try (KafkaShipper shipper = KafkaShipper.start(config)) {
                awaitTold(BurstEvent.Severity.WARN, "max.request.size");
            }
        }
    }

    private static void setLargest(String topic, int bytes) throws Exception {
        ConfigEntry largest = new ConfigEntry("max.message.bytes", Integer.toString(bytes));
        broker.admin()
                .incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.TOPIC, topic),
                        List.of(new AlterConfigOp(largest, AlterConfigOp.OpType.SET))))
                .all()
                .get();
    }
}

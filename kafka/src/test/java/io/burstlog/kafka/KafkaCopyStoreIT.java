// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.copy.CopyBlock;
import io.burstlog.copy.CopyPlace;
import io.burstlog.copy.CopyStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The copy of a ring in a topic of a real broker. Its blocks are marks: only their sequences count here. */
@Timeout(300)
class KafkaCopyStoreIT {

    private static final String RING = "000102030405060708090a0b0c0d0e0f";

    private static final int RECORD_HEADER_BYTES = 56;

    private static Broker shared;

    private final List<KafkaCopyStore> stores = new ArrayList<>();
    private Broker broker = shared;
    private String topic;

    @BeforeAll
    static void startBroker() throws IOException {
        shared = SharedBroker.get();
    }

    @BeforeEach
    void makeTopic(TestInfo test) throws Exception {
        broker = shared;
        topic = test.getTestMethod().orElseThrow().getName()
                + ThreadLocalRandom.current().nextInt(1 << 20);
        broker.createTopic(topic, 1);
    }

    @AfterEach
    void closeStores() {
        stores.forEach(KafkaCopyStore::close);
    }

    private KafkaCopyStore store(String... properties) {
        return storeOf(RING, properties);
    }

    private KafkaCopyStore storeOf(String ring, String... properties) {
        Map<String, String> all = new TreeMap<>(Map.of("bootstrap.servers", broker.servers()));
        for (int i = 0; i < properties.length; i += 2) {
            all.put(properties[i], properties[i + 1]);
        }
        stores.add(new KafkaCopyStore(ring, topic, all));
        return stores.get(stores.size() - 1);
    }

    private static CopyBlock block(long sequence) {
        return CopyBlock.mark(RING, sequence, 1);
    }

    private static void send(KafkaCopyStore store, long first, long last) throws Exception {
        Semaphore acknowledged = new Semaphore(0);
        for (long sequence = first; sequence <= last; sequence++) {
            store.send(block(sequence), acknowledged::release);
        }
        while (!acknowledged.tryAcquire((int) (last - first + 1), 50, TimeUnit.MILLISECONDS)) {
            store.check();
        }
    }

    private static long fence(KafkaCopyStore store) throws Exception {
        CopyBlock newest = store.fence();
        return newest == null ? 0 : newest.firstSequence();
    }

    private List<Long> stored() throws Exception {
        List<Long> sequences = new ArrayList<>();
        store().readBack(block -> sequences.add(block.firstSequence()));
        return sequences;
    }

    private static Long[] from1To(long last) {
        return LongStream.rangeClosed(1, last).boxed().toArray(Long[]::new);
    }

    @Test
    void blocksOfAnAbortedTransactionCountWhenTheyWereAcknowledged() throws Exception {
        KafkaCopyStore first = store();
        assertThat(first.fence()).isNull();
        send(first, 1, 300);
        KafkaCopyStore second = store();
        assertThat(fence(second)).isEqualTo(300);
        assertThat(broker.read(topic))
                .as("two notes are committed, and no block is")
                .hasSize(2);
        send(second, 301, 305);
        assertThat(stored()).containsExactly(from1To(305));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStoreThatWasFencedAddsNothingAndEnds(boolean hasOpenTransaction) throws Exception {
        KafkaCopyStore first = store();
        first.fence();
        if (hasOpenTransaction) {
            send(first, 1, 5);
        }
        KafkaCopyStore second = store();
        long newest = fence(second);
        assertThat(newest).isEqualTo(hasOpenTransaction ? 5 : 0);
        assertThatThrownBy(() -> awaitFailure(first)).isInstanceOf(IOException.class);
        assertThatThrownBy(first::fence)
                .isInstanceOf(CopyStore.FencedException.class)
                .hasMessageContaining("another copier of this ring");
        send(second, newest + 1, 9);
        assertThat(stored()).containsExactly(from1To(9));
    }

    /** Sends a block that must not be stored, and waits until it has failed. */
    private static void awaitFailure(KafkaCopyStore store) throws Exception {
        AtomicBoolean isStored = new AtomicBoolean();
        store.send(block(1_000), () -> isStored.set(true));
        while (!isStored.get()) {
            store.check();
            Thread.sleep(10);
        }
        throw new AssertionError("the block was acknowledged");
    }

    /** Each store is fenced while it sends as fast as it can, so its messages are anywhere on their way then. */
    @Test
    void noBlockComesBehindAFenceAndNoneBeforeItIsForgotten() throws Exception {
        AtomicLong acknowledged = new AtomicLong();
        long last = 0;
        for (int round = 1; round <= 15; round++) {
            KafkaCopyStore store = store();
            long newest = fence(store);
            assertThat(newest).isGreaterThanOrEqualTo(acknowledged.get());
            assertThat(newest).isGreaterThanOrEqualTo(last);
            last = newest;
            // No join with the thread before: what it still sends must not be stored.
            Thread sending = new Thread(() -> sendUntilItFails(store, newest, acknowledged));
            sending.setDaemon(true);
            sending.start();
            while (acknowledged.get() < last + 20 + ThreadLocalRandom.current().nextInt(300)) {
                Thread.onSpinWait();
            }
        }
        long newest = fence(store());
        assertThat(stored()).containsExactly(from1To(newest));
        assertThat(newest).isGreaterThanOrEqualTo(acknowledged.get());
    }

    private static void sendUntilItFails(KafkaCopyStore store, long newest, AtomicLong acknowledged) {
        try {
            for (long sequence = newest + 1; ; sequence++) {
                long own = sequence;
                store.send(block(own), () -> acknowledged.accumulateAndGet(own, Math::max));
            }
        } catch (IOException | InterruptedException fenced) {
            return;
        }
    }

    @Test
    void aTopicThatWasTakenOverGetsNoBlockAnyMore() throws Exception {
        assertThat(store().take()).as("a ring that the topic does not know").isFalse();
        KafkaCopyStore host = store();
        host.fence();
        send(host, 1, 7);
        assertThat(store().take()).isTrue();
        assertThatThrownBy(() -> awaitFailure(host)).isInstanceOf(IOException.class);
        assertThatThrownBy(host::fence).isInstanceOf(CopyStore.FencedException.class);
        for (int start = 1; start <= 2; start++) {
            assertThatThrownBy(store()::fence)
                    .isInstanceOf(CopyStore.RefusedException.class)
                    .hasMessageContaining("were recovered on another host");
        }
        assertThat(store().take()).as("it may be repeated").isTrue();
        assertThat(stored()).containsExactly(from1To(7));
    }

    /** Those behind it are under way when the brokers refuse it: Kafka's client would send them again. */
    @RepeatedTest(5)
    void noBlockIsStoredBehindOneThatTheBrokersRefuse() throws Exception {
        KafkaCopyStore store = store();
        store.fence();
        send(store, 1, 1);
        setMostBytes(20_000);
        store.send(longBlock(2, 100_000), () -> {});
        assertThatThrownBy(() -> {
                    for (long sequence = 3; sequence <= 7; sequence++) {
                        store.send(block(sequence), () -> {});
                    }
                    while (true) {
                        store.check();
                        Thread.sleep(1);
                    }
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("larger than the max message size");
        assertThat(fence(store)).isEqualTo(1);
        assertThat(stored()).containsExactly(1L);
        setMostBytes(200_000);
        send(store, 2, 3);
        assertThat(stored()).containsExactly(1L, 2L, 3L);
    }

    @ParameterizedTest
    @CsvSource({"20000, 67108864", "100000, ' 20000'"})
    void theLongestBlockIsTaken(int mostOfTopic, String mostOfClient) throws Exception {
        setMostBytes(mostOfTopic);
        KafkaCopyStore store = store("max.request.size", mostOfClient);
        store.fence();
        assertThat(store.mostBlockBytes()).isEqualTo(19_744);
        int bytes = store.mostBlockBytes();
        CopyBlock longest = longBlock(1, bytes - longBlock(1, 0).bytes().length);
        assertThat(longest.bytes()).hasSize(bytes);
        Semaphore acknowledged = new Semaphore(0);
        store.send(longest, acknowledged::release);
        while (!acknowledged.tryAcquire(50, TimeUnit.MILLISECONDS)) {
            store.check();
        }
        assertThat(stored()).containsExactly(1L);
    }

    private static CopyBlock longBlock(long sequence, int bytes) {
        ByteBuffer record = ByteBuffer.allocate(RECORD_HEADER_BYTES + bytes).order(ByteOrder.LITTLE_ENDIAN);
        record.putLong(0).putLong(sequence).putInt(bytes);
        return CopyBlock.of(RING, record.rewind(), stream -> "orders");
    }

    private void setMostBytes(int bytes) throws Exception {
        AlterConfigOp set = new AlterConfigOp(
                new ConfigEntry("max.message.bytes", Integer.toString(bytes)), AlterConfigOp.OpType.SET);
        broker.admin()
                .incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), List.of(set)))
                .all()
                .get();
    }

    /** The next begin goes on where the copy is whole, whoever stored the later ones. */
    @Test
    void aBlockBehindAMissingOneIsNotTheEndOfTheCopy() throws Exception {
        KafkaCopyStore store = store();
        store.fence();
        send(store, 1, 3);
        store.close();
        put(5, 5);
        put(6, 6);
        assertThat(fence(store)).isEqualTo(3);
        assertThat(fence(store())).as("behind notes alone").isEqualTo(3);
        send(stores.get(stores.size() - 1), 4, 6);
        assertThat(fence(store())).isEqualTo(6);
        put(4, 7);
        assertThat(fence(store())).as("a missing first block").isEqualTo(6);
        assertThat(stored()).containsExactly(1L, 2L, 3L, 5L, 6L, 4L, 5L, 6L, 7L);
    }

    /** Puts a block into the topic as its writer's block with that number. */
    private void put(long number, long sequence) throws Exception {
        try (Producer<byte[], byte[]> producer =
                new KafkaProducer<>(broker.client(), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(
                            topic,
                            0,
                            HexFormat.of().parseHex(RING),
                            block(sequence).bytes(),
                            CopyTopic.numbered(number)))
                    .get();
        }
    }

    @Test
    void anIdleStoreStaysTheWriter() throws Exception {
        KafkaCopyStore store = store("transaction.timeout.ms", "2000");
        store.fence();
        send(store, 1, 1);
        for (long end = System.nanoTime() + 6_000_000_000L; System.nanoTime() < end; Thread.sleep(50)) {
            store.check();
        }
        send(store, 2, 2);
        assertThat(stored()).containsExactly(1L, 2L);
    }

    @Test
    void aStoreThatStoodStillForLongerThanItsTransactionGoesOn() throws Exception {
        KafkaCopyStore store = store("transaction.timeout.ms", "1000");
        store.fence();
        send(store, 1, 3);
        while (!broker.openTransactionsOf(RING).isEmpty()) {
            Thread.sleep(50);
        }
        assertThatThrownBy(() -> awaitFailure(store)).isInstanceOf(IOException.class);
        assertThat(fence(store)).isEqualTo(3);
        send(store, 4, 4);
        assertThat(stored()).containsExactly(from1To(4));
    }

    @Test
    void ringsMayShareATopic() throws Exception {
        String other = "ffffffffffffffffffffffffffffffff";
        KafkaCopyStore first = store();
        first.fence();
        KafkaCopyStore second = storeOf(other);
        second.fence();
        Semaphore acknowledged = new Semaphore(0);
        for (long sequence = 1; sequence <= 100; sequence++) {
            first.send(block(sequence), acknowledged::release);
            second.send(CopyBlock.mark(other, 1_000 + sequence, 1), acknowledged::release);
        }
        acknowledged.acquire(200);
        assertThat(stored()).containsExactly(from1To(100));
        assertThat(fence(store())).isEqualTo(100);
        assertThat(fence(storeOf(other))).isEqualTo(1_100);
    }

    @Test
    void theNewestBlockIsFoundBehindManyMessagesOfOthers() throws Exception {
        KafkaCopyStore first = store();
        first.fence();
        send(first, 1, 3);
        String other = "ffffffffffffffffffffffffffffffff";
        KafkaCopyStore second = storeOf(other);
        second.fence();
        send(second, 1, 2_000);
        assertThat(fence(store())).isEqualTo(3);
    }

    @Test
    void aTopicThatWasMadeAnewIsNoticedAndBegunAnew() throws Exception {
        KafkaCopyStore store = store("delivery.timeout.ms", "30000", "transaction.timeout.ms", "3000");
        store.fence();
        send(store, 1, 50);
        awaitCommit(store);
        broker.deleteTopic(topic);
        broker.createTopic(topic, 1);
        assertThatThrownBy(() -> awaitFailure(store))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("offset 0 came behind offset ");
        assertThat(stored()).as("the new topic has taken it").containsExactly(1_000L);
        assertThat(store.fence()).as("which is no end of a copy").isNull();
        assertThat(store().fence()).as("nor after a restart").isNull();
        assertThat(store().take()).as("but something to recover").isTrue();
    }

    /** The brokers take the first block of a transaction whatever became of those before it. */
    private void awaitCommit(KafkaCopyStore store) throws Exception {
        while (!broker.openTransactionsOf(RING).isEmpty()) {
            store.check();
            Thread.sleep(50);
        }
    }

    @Test
    void aBrokerThatWasKilledComesBackWithAllThatItAcknowledged(TestInfo test) throws Exception {
        Path work = Path.of("target", "copy-broker").toAbsolutePath();
        SharedBroker.deleteTree(work);
        try (Broker own = new Broker(work)) {
            broker = own;
            broker.createTopic(topic, 1);
            KafkaCopyStore store = store("delivery.timeout.ms", "2000", "request.timeout.ms", "1000", "linger.ms", "0");
            store.fence();
            send(store, 1, 20);
            own.kill();
            assertThatThrownBy(() -> awaitFailure(store)).isInstanceOf(IOException.class);
            own.start();
            long newest = fenceAtLast(store);
            assertThat(newest).isEqualTo(20);
            send(store, 21, 40);
            assertThat(stored()).containsExactly(from1To(40));
        }
    }

    private static long fenceAtLast(KafkaCopyStore store) throws Exception {
        while (true) {
            try {
                return fence(store);
            } catch (IOException notYet) {
                Thread.sleep(100);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2, cleanup.policy, delete, has 2 partitions",
        "1, cleanup.policy, compact, cleanup.policy=compact",
        "1, unclean.leader.election.enable, true, it may lose what it has confirmed"
    })
    void aTopicThatCannotHaveACopyIsRefused(int partitions, String name, String value, String sentence)
            throws Exception {
        topic += partitions + value;
        make(partitions, Map.of(name, value));
        assertThatThrownBy(store()::fence)
                .isInstanceOf(CopyStore.RefusedException.class)
                .hasMessageContaining(sentence);
    }

    private void make(int partitions, Map<String, String> configs) throws Exception {
        broker.admin()
                .createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(configs)))
                .all()
                .get();
    }

    @Test
    void thePlaceIsThatOfTheTopicsSettings() throws Exception {
        KafkaCopyStore inMemory = store();
        inMemory.fence();
        assertThat(inMemory.place()).hasToString("memory of 1 of 1 broker");
        topic += "flushed";
        make(1, Map.of("flush.messages", "1"));
        KafkaCopyStore onDisk = store();
        onDisk.fence();
        assertThat(onDisk.place()).isEqualTo(new CopyPlace(CopyPlace.Medium.DISK, 1, 1, "broker"));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstConfig;
import io.burstlog.BurstEvent;
import io.burstlog.BurstEvent.Severity;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import io.burstlog.copy.BurstCopier;
import io.burstlog.copy.BurstCopier.Away;
import io.burstlog.copy.CopyBlock;
import io.burstlog.copy.CopySettings;
import io.burstlog.copy.CopyStore;
import io.burstlog.kafka.ThreeBrokers.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A copy on three brokers that die: a record counts when two of them have it. */
@Timeout(300)
class KafkaCopyBrokersIT {

    private static final Path WORK = Path.of("target", "copy-brokers").toAbsolutePath();
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(90);
    private static final Pattern MISSING = Pattern.compile("records (\\d+) to (\\d+) are not in it");

    private static ThreeBrokers brokers;
    private static int topics;

    private final Queue<BurstEvent> told = new ConcurrentLinkedQueue<>();
    private final List<Broker> dead = new ArrayList<>();
    private Broker stopped;
    private final List<KafkaCopyStore> stores = new ArrayList<>();
    private String topic;
    private BurstLog log;
    private BurstCopier copier;

    @BeforeAll
    static void startBrokers() throws Exception {
        brokers = new ThreeBrokers(WORK.resolve("brokers"));
    }

    @AfterAll
    static void stopBrokers() throws InterruptedException {
        if (brokers != null) {
            brokers.close();
        }
    }

    @BeforeEach
    void makeTopic() throws Exception {
        topic = "copy-" + ++topics;
        brokers.createTopic(topic);
    }

    @AfterEach
    void startTheDead() throws Exception {
        stores.forEach(KafkaCopyStore::close);
        startAgain();
        if (log != null) {
            log.close();
            copier.close();
        }
    }

    private void kill(List<Broker> which) throws Exception {
        brokers.awaitAllInSync(topic);
        dead.addAll(which);
        ThreeBrokers.kill(which);
    }

    private void startAgain() throws Exception {
        if (stopped != null) {
            Broker.signal("CONT", stopped.process());
        }
        stopped = null;
        for (Broker each : dead) {
            each.start();
        }
        dead.clear();
        brokers.awaitAllInSync(topic);
    }

    private Map<String, String> properties(String... more) {
        Map<String, String> all =
                new HashMap<>(Map.of("bootstrap.servers", brokers.any().servers()));
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i], more[i + 1]);
        }
        return all;
    }

    private Path host() {
        return WORK.resolve(topic);
    }

    private void open(Away away, Map<String, String> properties) throws IOException {
        SharedBroker.deleteTree(host());
        log = BurstLog.open(BurstConfig.builder()
                .ring(Files.createDirectories(host()).resolve("copied.ring").toString())
                .fileName(host().resolve("copied.log").toString())
                .durability(Durability.PROCESS)
                .copy(topic)
                .listener(told::add)
                .build());
        copier = BurstCopier.start(
                log,
                CopySettings.builder()
                        .store(() -> new KafkaCopyStore(log.ringId(), topic, properties))
                        .away(away)
                        .listener(told::add)
                        .build());
    }

    private long append(String line) {
        return log.append((line + '\n').getBytes(UTF_8));
    }

    private long append(long first, long last) {
        return LongStream.rangeClosed(first, last)
                .map(each -> append("record " + each))
                .max()
                .orElseThrow();
    }

    /** Ends the host, and takes its folder. {@return what the copy has} */
    private List<String> recoverWithoutTheHost(int code) throws Exception {
        String ring = log.ringId();
        log.close();
        copier.close();
        log = null;
        SharedBroker.deleteTree(host());
        Path to = WORK.resolve(topic + "-recovered");
        SharedBroker.deleteTree(to);
        String[] recover = {
            "recover",
            ring,
            "--topic",
            topic,
            "--to",
            to.toString(),
            "--property",
            "bootstrap.servers=" + brokers.any().servers()
        };
        assertThat(CopyMain.run(recover, System.out, System.err)).isEqualTo(code);
        return Files.readAllLines(to.resolve("copied.log"));
    }

    private static List<String> lines(String prefix, long last) {
        return LongStream.rangeClosed(1, last).mapToObj(each -> prefix + each).toList();
    }

    /** It appends until it is stopped, and knows how many of its records are copied. */
    private final class Caller extends Thread {
        private final AtomicLong copied = new AtomicLong();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final AtomicBoolean isStopped;

        Caller(String name, AtomicBoolean isStopped) {
            super(name);
            this.isStopped = isStopped;
            start();
        }

        @Override
        public void run() {
            try {
                for (long number = 1; !isStopped.get(); number++) {
                    if (!log.awaitCopied(append(getName() + ' ' + number), LONG_ENOUGH)) {
                        throw new AssertionError(getName() + ' ' + number + " was not copied in time");
                    }
                    copied.set(number);
                }
            } catch (Throwable met) {
                failure.set(met);
            }
        }

        void awaitMore(long count) throws InterruptedException {
            long wanted = copied.get() + count;
            while (copied.get() < wanted) {
                assertThat(failure.get()).isNull();
                sleep(2);
            }
        }
    }

    /**
     * With the short time a transaction is to end while there is no leader, and the brokers may have ended it first.
     */
    @ParameterizedTest
    @CsvSource({
        "LEADER_OF_THE_TOPIC, KILL, 60000",
        "LEADER_OF_TRANSACTIONS, KILL, 3000",
        "LEADER_OF_THE_TOPIC, STOP, 60000",
    })
    void theCopyGoesOnWithoutABroker(Role role, String signal, String transactionTimeout) throws Exception {
        open(Away.WAIT, properties("transaction.timeout.ms", transactionTimeout));
        AtomicBoolean isStopped = new AtomicBoolean();
        List<Caller> callers = List.of(new Caller("a", isStopped), new Caller("b", isStopped));
        callers.get(0).awaitMore(100);
        assertThat(copier.stats().place()).hasToString("memory of 2 of 3 brokers");
        brokers.awaitAllInSync(topic);
        Broker victim = brokers.who(role, topic);
        if (signal.equals("KILL")) {
            kill(List.of(victim));
        } else {
            stopped = victim;
            Broker.signal("STOP", victim.process());
        }
        for (Caller each : callers) {
            each.awaitMore(300);
        }
        brokers.awaitAnother(role, topic, victim);
        startAgain();
        for (Caller each : callers) {
            each.awaitMore(100);
        }
        isStopped.set(true);
        for (Caller each : callers) {
            each.join();
            assertThat(each.failure.get()).isNull();
        }
        List<String> found = recoverWithoutTheHost(0);
        for (Caller each : callers) {
            String prefix = each.getName() + ' ';
            assertThat(found.stream().filter(line -> line.startsWith(prefix)))
                    .containsExactlyElementsOf(lines(prefix, each.copied.get()));
        }
    }

    private static final String[] SOON = {
        "delivery.timeout.ms", "3000",
        "request.timeout.ms", "1000",
        "max.block.ms", "3000",
        "default.api.timeout.ms", "3000"
    };

    @Test
    void oneBrokerAloneTakesNothingAndCallsWait() throws Exception {
        open(Away.WAIT, properties(SOON));
        long copied = append(1, 100);
        assertThat(log.awaitCopied(copied, LONG_ENOUGH)).isTrue();
        kill(brokers.twoOf(topic));
        long last = append(101, 200);
        assertThat(log.awaitCopied(last, Duration.ofSeconds(5))).isFalse();
        assertThat(log.copiedSequence()).isEqualTo(copied);
        startAgain();
        assertThat(log.awaitCopied(last, LONG_ENOUGH)).as("%s", told).isTrue();
        assertThat(recoverWithoutTheHost(0)).containsExactlyElementsOf(lines("record ", 200));
    }

    @Test
    void thoseThatAreNamedAsMissingAreExactlyThoseThatTheCopyLacks() throws Exception {
        open(Away.DEGRADE, properties(SOON));
        assertThat(log.awaitCopied(append(1, 100), LONG_ENOUGH)).isTrue();
        kill(brokers.twoOf(topic));
        append(101, 200);
        awaitTold(Severity.ERROR, "have one copy only");
        long alone = append(201, 300);
        assertThatThrownBy(() -> log.awaitCopied(alone, LONG_ENOUGH))
                .isInstanceOfSatisfying(
                        BurstException.class, away -> assertThat(away.code()).isEqualTo(BurstException.Code.COPY_AWAY));
        log.awaitDrained(LONG_ENOUGH);
        startAgain();
        awaitTold(Severity.WARN, "are not in it, and not in the ring any more");
        long last = 300;
        do {
            last++;
        } while (!isCopied(append(last, last)));
        List<String> found = recoverWithoutTheHost(CopyMain.FOUND);
        List<String> wanted = new ArrayList<>(lines("record ", last));
        List<String> missing = told.stream()
                .flatMap(event -> MISSING.matcher(event.text()).results())
                .flatMap(range -> LongStream.rangeClosed(Long.parseLong(range.group(1)), Long.parseLong(range.group(2)))
                        .boxed())
                .map(sequence -> "record " + sequence)
                .toList();
        assertThat(missing).as("%s", told).contains("record 300");
        wanted.removeAll(missing);
        assertThat(found).containsExactlyElementsOf(wanted);
    }

    private void awaitTold(Severity severity, String words) throws InterruptedException {
        long begin = System.nanoTime();
        while (told.stream()
                .noneMatch(event -> event.severity() == severity && event.text().contains(words))) {
            assertThat(System.nanoTime() - begin).as("%s", told).isLessThan(LONG_ENOUGH.toNanos());
            Thread.sleep(10);
        }
    }

    /** Brokers that begin may fail once more. */
    private boolean isCopied(long sequence) {
        try {
            return log.awaitCopied(sequence, LONG_ENOUGH);
        } catch (BurstException away) {
            return false;
        }
    }

    private static final String RING = "000102030405060708090a0b0c0d0e0f";

    private KafkaCopyStore store() {
        KafkaCopyStore made = new KafkaCopyStore(RING, topic, properties());
        stores.add(made);
        return made;
    }

    private static long fenceAtLast(KafkaCopyStore store) throws Exception {
        for (long begin = System.nanoTime(); ; Thread.sleep(50)) {
            try {
                CopyBlock newest = store.fence();
                return newest == null ? 0 : newest.firstSequence();
            } catch (IOException notYet) {
                if (System.nanoTime() - begin > LONG_ENOUGH.toNanos()) {
                    throw notYet;
                }
            }
        }
    }

    /** A store of its own sends as fast as it can, until it fails. */
    private final class Sender extends Thread {
        private final AtomicLong acknowledged;
        private final KafkaCopyStore store = store();
        private final long begin = fenceAtLast(store);
        private volatile Exception failure;

        Sender(AtomicLong acknowledged) throws Exception {
            this.acknowledged = acknowledged;
            start();
        }

        @Override
        public void run() {
            try {
                for (long sequence = begin + 1; ; sequence++) {
                    long own = sequence;
                    store.send(CopyBlock.mark(RING, own, 1), () -> acknowledged.accumulateAndGet(own, Math::max));
                }
            } catch (IOException | InterruptedException | RuntimeException fenced) {
                failure = fenced;
            }
        }
    }

    /** Brokers that begin may fail a store once more: another one sends then. */
    private Sender sendMany(AtomicLong acknowledged) throws Exception {
        Exception failure = null;
        Sender sender = new Sender(acknowledged);
        for (long begin = System.nanoTime(); acknowledged.get() < sender.begin + 200; Thread.sleep(1)) {
            if (System.nanoTime() - begin > LONG_ENOUGH.toNanos()) {
                throw new AssertionError("no store had 200 blocks acknowledged in time", failure);
            }
            if (!sender.isAlive()) {
                failure = sender.failure;
                sender = new Sender(acknowledged);
            }
        }
        return sender;
    }

    /**
     * The transaction of a store is open, and it sends as fast as it can, when the broker dies that the next one asks.
     */
    @Test
    void aFenceHoldsThoughTheBrokerThatItAsksDies() throws Exception {
        AtomicLong acknowledged = new AtomicLong();
        for (Role role : Role.values()) {
            Sender first = sendMany(acknowledged);
            brokers.awaitAllInSync(topic);
            Broker victim = brokers.who(role, topic);
            dead.add(victim);
            victim.process().destroyForcibly();
            long newest = fenceAtLast(store());
            assertThat(newest).isGreaterThanOrEqualTo(acknowledged.get());
            victim.process().waitFor();
            first.join();
            assertThat(newest).as("%s", role).isGreaterThanOrEqualTo(acknowledged.get());
            assertThatThrownBy(() -> fenceAtLast(first.store)).isInstanceOf(CopyStore.FencedException.class);
            startAgain();
        }
        long newest = fenceAtLast(store());
        List<Long> stored = new ArrayList<>();
        store().readBack(block -> stored.add(block.firstSequence()));
        assertThat(stored)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, newest).boxed().toList());
    }
}

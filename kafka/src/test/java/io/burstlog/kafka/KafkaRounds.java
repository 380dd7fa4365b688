// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.errors.TopicExistsException;

/**
 * Three brokers and three hosts, each with a folder of segments on a small disk of its own. In each round a process is
 * killed or stopped, a disk is filled, or something is changed. Ended processes are started again. The round ends when
 * the topic has everything that any host called durable so far, as {@link TopicWitness} demands it.
 */
final class KafkaRounds implements AutoCloseable {

    /** A round's disturbance, and how often it comes among a hundred. */
    enum Disturbance {
        APPLICATION(20),
        SHIPPER(25),
        HOST(9),
        ALL_HOSTS(5),
        BROKER(15),
        TWO_BROKERS(2),
        EVERYTHING(2),
        STOPPED(6),
        SECOND_SHIPPER(6),
        NEW_TOPIC(3),
        CLOCK(4),
        FULL_DISK(3);

        private final int weight;

        Disturbance(int weight) {
            this.weight = weight;
        }
    }

    /** Something happened that never may. */
    static final class Violation extends Exception {
        private static final long serialVersionUID = 1L;

        Violation(String what) {
            super(what);
        }
    }

    private static final int HOSTS = 3;
    private static final int BROKERS = 3;
    private static final String TOPIC = "killed";
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(4);
    private static final long TRANSACTION_MILLIS = 13_000;
    private static final long LARGEST_SHIFT_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long LARGEST_SHIFT_BACK_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final Path work;
    private final Jvms jvms;
    private final Random random;
    private final List<Broker> brokers = new ArrayList<>();
    private final List<KilledHost> hosts = new ArrayList<>();
    private final Map<Disturbance, Integer> done = new EnumMap<>(Disturbance.class);
    private final long[] shiftOfBroker = new long[BROKERS];
    private boolean isEnding;
    private int kills;
    private TopicWitness witness;

    KafkaRounds(Path work, Jvms jvms, long seed) {
        this.work = work;
        this.jvms = jvms;
        random = new Random(seed);
        Runtime.getRuntime().addShutdownHook(new Thread(this::killAll));
    }

    void start() throws Exception {
        List<Integer> ports = Broker.freePorts(BROKERS);
        for (int id = 1; id <= BROKERS; id++) {
            Path clock = work.resolve("clock-of-broker-" + id);
            Jvms.shiftClock(clock, 0);
            String kind = "broker-" + id;
            brokers.add(new Broker(work.resolve(kind), id, ports, next -> jvms.prepare(next, kind, clock)));
        }
        createTopic();
        Path properties = Files.write(
                work.resolve("shipper.properties"),
                List.of(
                        "bootstrap.servers=" + brokers.get(0).servers(),
                        "transaction.timeout.ms=" + TRANSACTION_MILLIS,
                        "default.api.timeout.ms=20000",
                        "max.block.ms=5000",
                        "request.timeout.ms=5000",
                        "delivery.timeout.ms=8000",
                        "retry.backoff.ms=20",
                        "reconnect.backoff.max.ms=200"));
        KilledHost.Setting setting = new KilledHost.Setting(work, TOPIC, properties, jvms);
        for (int host = 1; host <= HOSTS; host++) {
            Path disk = Files.createDirectories(work.resolve("disk-" + host));
            hosts.add(new KilledHost(setting, "host-" + host, disk.resolve("segments"), host == 1));
        }
        witness = new TopicWitness(brokers.get(0).client(), TOPIC, HOSTS);
        witness.start();
        awaitAllThatIsDurable();
    }

    /** Makes the topic as soon as all brokers are there. */
    private void createTopic() throws Exception {
        await("the topic can be made", () -> {
            try {
                brokers.get(0).createTopic(TOPIC, HOSTS);
                return true;
            } catch (ExecutionException refused) {
                return refused.getCause() instanceof TopicExistsException;
            }
        });
    }

    Disturbance choose() {
        int at = random.nextInt(100);
        for (Disturbance each : Disturbance.values()) {
            at -= each.weight;
            if (at < 0) {
                return each;
            }
        }
        throw new IllegalStateException("weights");
    }

    void run(Disturbance disturbance) throws Exception {
        pause(400);
        KilledHost host = hosts.get(random.nextInt(HOSTS));
        KilledHost other = hosts.get(1 + random.nextInt(HOSTS - 1));
        switch (disturbance) {
            case APPLICATION -> killRepeatedly(() -> List.of(host.application()));
            case SHIPPER -> killRepeatedly(() -> List.of(other.shipper()));
            case HOST -> killRepeatedly(host::processes);
            case ALL_HOSTS -> killRepeatedly(this::allOfHosts);
            case BROKER -> {
                awaitReplicas();
                killBrokers(List.of(brokers.get(random.nextInt(BROKERS))));
            }
            case TWO_BROKERS -> {
                awaitReplicas();
                int spared = random.nextInt(BROKERS);
                List<Broker> two = new ArrayList<>(brokers);
                two.remove(spared);
                killBrokers(two);
            }
            case EVERYTHING -> {
                kill(allOfHosts());
                killBrokers(brokers);
            }
            case STOPPED -> standStill(host);
            case SECOND_SHIPPER -> fence(other);
            case NEW_TOPIC -> makeTopicAnew();
            case CLOCK -> shiftClocks();
            case FULL_DISK -> fillDisk(host);
        }
        awaitAllThatIsDurable();
        done.merge(disturbance, 1, Integer::sum);
    }

    private void pause(int mostMillis) throws IOException {
        long end = System.nanoTime() + random.nextInt(mostMillis) * 1_000_000L;
        do {
            LockSupport.parkNanos(Math.min(10_000_000, Math.max(0, end - System.nanoTime())));
            revive();
        } while (System.nanoTime() < end);
    }

    private void revive() throws IOException {
        for (KilledHost host : isEnding ? List.<KilledHost>of() : hosts) {
            host.revive();
        }
    }

    private List<Process> allOfHosts() {
        return hosts.stream().flatMap(host -> host.processes().stream()).toList();
    }

    private void kill(List<Process> processes) throws InterruptedException {
        for (Process each : processes) {
            each.toHandle().destroyForcibly();
            kills++;
        }
        for (Process each : processes) {
            each.waitFor();
        }
    }

    /** Kills the processes, and sometimes again while they start. */
    private void killRepeatedly(Callable<List<Process>> processes) throws Exception {
        kill(processes.call());
        revive();
        while (random.nextInt(3) == 0) {
            pause(900);
            kill(processes.call());
            revive();
        }
    }

    private void killBrokers(List<Broker> which) throws Exception {
        for (Broker each : which) {
            each.process().toHandle().destroyForcibly();
            kills++;
        }
        pause(1 + random.nextInt(1_000));
        for (Broker each : which) {
            each.process().waitFor();
            each.start();
        }
    }

    /** Else a further kill stops the topic for a while: that does no harm, but takes time. */
    private void awaitReplicas() throws Exception {
        await("all replicas are in sync", () -> {
            try {
                return brokers
                        .get(0)
                        .admin()
                        .describeTopics(List.of(TOPIC, "__transaction_state"))
                        .allTopicNames()
                        .get()
                        .values()
                        .stream()
                        .flatMap(topic -> topic.partitions().stream())
                        .allMatch(partition -> partition.isr().size() == BROKERS);
            } catch (ExecutionException notNow) {
                return false;
            }
        });
    }

    /** The shipper stands still for less than its transactions may last, or for longer. */
    private void standStill(KilledHost host) throws Exception {
        Process stopped = host.shipper();
        Broker.signal("STOP", stopped);
        long millis = (long) (TRANSACTION_MILLIS * 1.5 * random.nextDouble());
        if (random.nextBoolean() && !host.shipsItself()) {
            host.startSecondShipper();
        }
        pause((int) millis + 1);
        Broker.signal("CONT", stopped);
    }

    private void fence(KilledHost host) throws Exception {
        Process first = host.shipper();
        host.startSecondShipper();
        if (random.nextInt(3) == 0) {
            pause(1_500); // the first shipper goes on, or the second, or neither
            kill(host.processes());
        } else {
            // The second one ends if the first begins anew behind it.
            await("one of two shippers ends", () -> !first.isAlive() || !host.hasTwoShippers());
        }
    }

    /** The witness reads the old topic to its end, while no shipper may add to it. */
    private void makeTopicAnew() throws Exception {
        List<Process> stopped = hosts.stream().map(KilledHost::shipper).toList();
        for (Process each : stopped) {
            Broker.signal("STOP", each);
        }
        awaitWitness();
        witness.stop();
        brokers.get(0).deleteTopic(TOPIC);
        boolean isSoon = random.nextBoolean();
        if (isSoon) {
            createTopic();
        }
        for (Process each : stopped) {
            Broker.signal("CONT", each);
        }
        if (!isSoon) {
            pause(1_500);
            createTopic();
        }
        witness.start();
    }

    private void awaitWitness() throws Exception {
        await("the witness has read all", () -> {
            long decided = ends(IsolationLevel.READ_COMMITTED);
            return decided == ends(IsolationLevel.READ_UNCOMMITTED) && witness.position() == decided;
        });
    }

    private long ends(IsolationLevel isolation) {
        try {
            return brokers
                    .get(0)
                    .admin()
                    .listOffsets(
                            witness.partitions().stream()
                                    .collect(Collectors.toMap(Function.identity(), any -> OffsetSpec.latest())),
                            new ListOffsetsOptions(isolation))
                    .all()
                    .get()
                    .values()
                    .stream()
                    .mapToLong(each -> each.offset())
                    .sum();
        } catch (ExecutionException | InterruptedException notNow) {
            return -1;
        }
    }

    /**
     * Shifts the clocks of a host and of a broker, while they run. A broker's clock goes back only by seconds: for as
     * long as it is behind, the broker connects to no other one again, and ends no transaction there.
     */
    private void shiftClocks() throws IOException {
        long shift = random.nextInt(3) == 0 ? 0 : random.nextLong(-LARGEST_SHIFT_NANOS, LARGEST_SHIFT_NANOS);
        Jvms.shiftClock(hosts.get(random.nextInt(HOSTS)).clock(), shift);
        int broker = random.nextInt(BROKERS);
        shiftOfBroker[broker] = random.nextLong(shiftOfBroker[broker] - LARGEST_SHIFT_BACK_NANOS, LARGEST_SHIFT_NANOS);
        Jvms.shiftClock(work.resolve("clock-of-broker-" + (1 + broker)), shiftOfBroker[broker]);
    }

    private void fillDisk(KilledHost host) throws Exception {
        Path filler = host.fillDisk();
        pause(1_500);
        if (random.nextBoolean()) {
            kill(host.processes());
            pause(1_000);
        }
        Files.delete(filler);
    }

    private void await(String what, Callable<Boolean> condition) throws Exception {
        for (long begin = System.nanoTime(); !condition.call(); ) {
            revive();
            failIfViolated();
            if (System.nanoTime() - begin > PATIENCE_NANOS) {
                throw new Violation("for " + PATIENCE_NANOS / 1_000_000_000L + " s it has not come true that " + what);
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    private void failIfViolated() throws Violation {
        if (witness != null && !witness.violations().isEmpty()) {
            List<String> all = witness.violations();
            throw new Violation(String.join("; ", all.subList(0, Math.min(3, all.size()))));
        }
    }

    /** Waits for all that is durable, and for something more from each host. */
    private void awaitAllThatIsDurable() throws Exception {
        revive();
        for (KilledHost host : hosts) {
            long before = host.acknowledged();
            await(host.name() + " logs", () -> host.acknowledged() > before);
        }
        awaitInTopic();
    }

    private void awaitInTopic() throws Exception {
        for (KilledHost host : hosts) {
            for (Map.Entry<String, Integer> each : host.durable().entrySet()) {
                await(
                        "record " + each.getValue() + " of run and thread " + each.getKey() + " of " + host.name()
                                + ", which is durable, is in the topic",
                        () -> witness.lastOf(host.name(), each.getKey()) >= each.getValue());
                host.forget(each.getKey());
            }
        }
        failIfViolated();
    }

    /** All fall silent, the topic gets everything that was durable, all end in order, and nothing more comes. */
    void end() throws Exception {
        awaitAllThatIsDurable();
        for (KilledHost host : hosts) {
            if (!host.fallSilent()) {
                throw new Violation(host.name() + " did not fall silent");
            }
        }
        awaitInTopic();
        isEnding = true;
        for (KilledHost host : hosts) {
            if (!host.end()) {
                throw new Violation(host.name() + " did not end in order");
            }
        }
        awaitWitness();
        failIfViolated();
        for (Broker broker : brokers) {
            broker.process().toHandle().destroy();
        }
        for (Broker broker : brokers) {
            broker.process().waitFor(20, TimeUnit.SECONDS);
        }
    }

    String report() {
        return String.format(
                "%d kills, %s; %,d records were durable, %,d are in the topic, once and in order, %,d again in a new one;"
                        + " %d ended by themselves",
                kills,
                done,
                hosts.stream().mapToLong(KilledHost::acknowledged).sum(),
                witness.records(),
                witness.again(),
                hosts.stream().mapToInt(KilledHost::endedByItself).sum());
    }

    private void killAll() {
        hosts.forEach(
                host -> host.processes().forEach(process -> process.toHandle().destroyForcibly()));
        brokers.forEach(broker -> broker.process().toHandle().destroyForcibly());
    }

    @Override
    public void close() {
        killAll();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.TopicExistsException;

/** Three brokers, each a process of its own: each has all records, and a record counts when two of them have it. */
final class ThreeBrokers implements AutoCloseable {

    static final String TRANSACTIONS = "__transaction_state";

    private static final int COUNT = 3;
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

    /** Something that one broker does for the others. */
    enum Role {
        LEADER_OF_THE_TOPIC,
        LEADER_OF_TRANSACTIONS,
        CONTROLLER
    }

    private interface Condition {
        boolean holds() throws ExecutionException, InterruptedException;
    }

    /** A call may be put to a broker that stands still, and waits for it until its own time is over. */
    private static final Map<String, Object> PATIENCE_WITH_ONE =
            Map.of("request.timeout.ms", "3000", "default.api.timeout.ms", "10000");

    private final List<Broker> brokers = new ArrayList<>();
    private final Admin admin;

    ThreeBrokers(Path work) throws IOException, InterruptedException {
        SharedBroker.deleteTree(work);
        List<Integer> ports = Broker.freePorts(COUNT);
        try {
            for (int id = 1; id <= COUNT; id++) {
                brokers.add(new Broker(work.resolve("broker-" + id), id, ports, any -> {}));
            }
        } catch (Exception failure) {
            closeBrokers();
            throw failure;
        }
        Map<String, Object> properties = new HashMap<>(any().client());
        properties.putAll(PATIENCE_WITH_ONE);
        admin = Admin.create(properties);
    }

    /** One that is asked for the others: its clients know them all. */
    Broker any() {
        return brokers.get(0);
    }

    /** Makes a topic with one partition as soon as all brokers are there. */
    void createTopic(String topic) throws Exception {
        await("topic " + topic + " can be made", () -> {
            try {
                any().createTopic(topic, 1);
                return true;
            } catch (ExecutionException refused) {
                return refused.getCause() instanceof TopicExistsException;
            } catch (InterruptedException stopped) {
                throw stopped;
            } catch (Exception other) {
                throw new IllegalStateException(other);
            }
        });
    }

    /** {@return the broker that has the role now; null: none} */
    Broker who(Role role, String topic) throws ExecutionException, InterruptedException {
        int id = switch (role) {
            case LEADER_OF_THE_TOPIC -> leaderOf(topic);
            case LEADER_OF_TRANSACTIONS -> leaderOf(TRANSACTIONS);
            case CONTROLLER -> admin.describeMetadataQuorum().quorumInfo().get().leaderId();
        };
        return id < 1 ? null : brokers.get(id - 1);
    }

    /** {@return its id; below 1: there is none now} */
    private int leaderOf(String topic) throws ExecutionException, InterruptedException {
        Node leader = described(topic).partitions().get(0).leader();
        return leader == null ? 0 : leader.id();
    }

    private TopicDescription described(String topic) throws ExecutionException, InterruptedException {
        return admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
    }

    void awaitAnother(Role role, String topic, Broker before) throws InterruptedException {
        await("another broker is " + role, () -> {
            Broker now = who(role, topic);
            return now != null && now != before;
        });
    }

    /** {@return two of the three, with the leader of the topic among them} */
    List<Broker> twoOf(String topic) throws ExecutionException, InterruptedException {
        int leader = leaderOf(topic);
        return List.of(brokers.get(leader - 1), brokers.get(leader % COUNT));
    }

    static void kill(List<Broker> which) throws InterruptedException {
        for (Broker each : which) {
            each.process().destroyForcibly();
        }
        for (Broker each : which) {
            each.process().waitFor();
        }
    }

    /** Waits until each of the three has all that the others have, so that one of them may die. */
    void awaitAllInSync(String topic) throws InterruptedException {
        await("all brokers are in sync", () -> isInSync(topic) && isInSync(TRANSACTIONS));
    }

    private boolean isInSync(String topic) throws ExecutionException, InterruptedException {
        return described(topic).partitions().get(0).isr().size() == COUNT;
    }

    private static void await(String what, Condition condition) throws InterruptedException {
        for (long begin = System.nanoTime(); ; Thread.sleep(50)) {
            try {
                if (condition.holds()) {
                    return;
                }
            } catch (ExecutionException notNow) {
                // A broker begins.
            }
            if (System.nanoTime() - begin > PATIENCE_NANOS) {
                throw new AssertionError("not within two minutes: " + what);
            }
        }
    }

    private void closeBrokers() throws InterruptedException {
        for (Broker each : brokers) {
            each.close();
        }
    }

    @Override
    public void close() throws InterruptedException {
        closeBrokers();
        admin.close(Duration.ZERO);
    }
}

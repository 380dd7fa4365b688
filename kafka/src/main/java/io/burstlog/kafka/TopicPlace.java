// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.copy.CopyPlace;
import io.burstlog.copy.CopyStore.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/**
 * Where a topic keeps what its brokers confirm to {@code acks=all}, as the brokers are configured now.
 *
 * <p>The brokers confirm what lies in their memory, and write it to their disks later, unless the topic has
 * {@code flush.messages=1}. Nobody is fenced any more if the brokers lose their own topic of transactions: so the
 * weaker of the two topics decides.
 */
record TopicPlace(CopyPlace place, int mostBlockBytes) {

    private static final String TRANSACTIONS = "__transaction_state";

    /** The head of a batch and of its one message, with the key and the header: 130 bytes or so. */
    private static final int MESSAGE_HEAD_BYTES = 256;

    /**
     * Asks the brokers. The topic of transactions is there once a producer is initialized.
     *
     * @param mostRequestBytes the longest message that the client sends
     * @throws RefusedException if the topic cannot have a copy
     */
    static TopicPlace of(Admin admin, String topic, int mostRequestBytes)
            throws ExecutionException, InterruptedException {
        Map<String, TopicDescription> descriptions = admin.describeTopics(List.of(topic, TRANSACTIONS))
                .allTopicNames()
                .get();
        Config own = configOf(admin, topic);
        Config transactions = configOf(admin, TRANSACTIONS);
        requireUsable(topic, own, descriptions.get(topic).partitions().size());
        requireClean(TRANSACTIONS, transactions);
        boolean isFlushed = "1".equals(valueOf(own, TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG));
        int replicas = Math.min(replicasOf(descriptions.get(topic)), replicasOf(descriptions.get(TRANSACTIONS)));
        int copies = Math.min(replicas, Math.min(inSync(own), inSync(transactions)));
        CopyPlace place = new CopyPlace(
                isFlushed ? CopyPlace.Medium.DISK : CopyPlace.Medium.MEMORY,
                copies,
                replicas,
                replicas == 1 ? "broker" : "brokers");
        int mostBytes = Math.min(mostRequestBytes, intOf(own, TopicConfig.MAX_MESSAGE_BYTES_CONFIG));
        return new TopicPlace(place, mostBytes - MESSAGE_HEAD_BYTES);
    }

    private static void requireUsable(String topic, Config config, int partitions) {
        if (partitions != 1) {
            throw new RefusedException("topic " + topic + " has " + partitions
                    + " partitions, and a copy wants its blocks in one order; make a topic with one");
        }
        if (valueOf(config, TopicConfig.CLEANUP_POLICY_CONFIG).contains(TopicConfig.CLEANUP_POLICY_COMPACT)) {
            throw new RefusedException("topic " + topic + " has " + TopicConfig.CLEANUP_POLICY_CONFIG
                    + "=compact: it would keep the newest block of a ring alone; set it to delete");
        }
        requireClean(topic, config);
    }

    private static void requireClean(String topic, Config config) {
        if (Boolean.parseBoolean(valueOf(config, TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG))) {
            throw new RefusedException("topic " + topic + " has " + TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG
                    + "=true: it may lose what it has confirmed; set it to false");
        }
    }

    private static Config configOf(Admin admin, String topic) throws ExecutionException, InterruptedException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        return admin.describeConfigs(List.of(resource)).all().get().get(resource);
    }

    private static int inSync(Config config) {
        return intOf(config, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
    }

    private static int intOf(Config config, String name) {
        return Integer.parseInt(valueOf(config, name));
    }

    private static int replicasOf(TopicDescription topic) {
        return topic.partitions().stream()
                .mapToInt(each -> each.replicas().size())
                .min()
                .orElse(0);
    }

    private static String valueOf(Config config, String name) {
        return config.get(name).value();
    }
}

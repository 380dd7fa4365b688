// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/**
 * Where a topic keeps what its brokers confirm to {@code acks=all}, as the brokers are configured now.
 *
 * <p>A record counts once its transaction is committed, and the decision lies in a topic of the brokers' own. So the
 * weaker of the two topics decides. Brokers confirm what lies in their memory; they write it to their disks later.
 */
final class CopyPlace {

    private static final String DECISIONS = "__transaction_state";

    private CopyPlace() {}

    /**
     * Asks the brokers. The topic of decisions is there once a producer is initialized.
     *
     * @param copies how many brokers must have a record
     * @return the place, as {@code memory of 2 of 3 brokers}
     * @throws KafkaException if it is weaker than that
     */
    static String of(Admin admin, String topic, int copies) throws ExecutionException, InterruptedException {
        List<String> topics = List.of(topic, DECISIONS);
        Map<String, TopicDescription> descriptions =
                admin.describeTopics(topics).allTopicNames().get();
        int least = Integer.MAX_VALUE;
        int replicas = Integer.MAX_VALUE;
        for (String each : topics) {
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, each);
            Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
            if (isSet(config, TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG)) {
                throw new KafkaException("topic " + each + " has "
                        + TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG
                        + "=true: it may lose what it has confirmed, and calls wait for what it confirms; set it to"
                        + " false");
            }
            int inSync = Integer.parseInt(valueOf(config, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG));
            if (inSync < copies) {
                throw new KafkaException("topic " + each + " confirms what " + inSync
                        + " of its brokers have, and copies=\""
                        + copies + "\" asks for " + copies + "; set its " + TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG
                        + " to " + copies + " or more, or accept the weaker copy by copies=\"" + inSync + "\"");
            }
            least = Math.min(least, inSync);
            replicas = Math.min(replicas, replicasOf(descriptions.get(each)));
        }
        return "memory of " + least + " of " + replicas + (replicas == 1 ? " broker" : " brokers");
    }

    private static int replicasOf(TopicDescription topic) {
        return topic.partitions().stream()
                .mapToInt(each -> each.replicas().size())
                .min()
                .orElse(0);
    }

    private static boolean isSet(Config config, String name) {
        return Boolean.parseBoolean(valueOf(config, name));
    }

    private static String valueOf(Config config, String name) {
        return config.get(name).value();
    }
}

// SPDX-License-Identifier: Apache-2.0

/** The records of a stream into a topic of Apache Kafka, exactly once. */
module io.burstlog.kafka {
    requires transitive io.burstlog;
    requires java.management;
    requires kafka.clients;

    exports io.burstlog.kafka;

    provides io.burstlog.ShipperProvider with
            io.burstlog.kafka.KafkaProvider;
}

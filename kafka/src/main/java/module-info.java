// SPDX-License-Identifier: Apache-2.0

/** Records in topics of Apache Kafka: those of a stream, exactly once, and the second copy of a ring. */
module io.burstlog.kafka {
    requires transitive io.burstlog;
    requires java.management;
    requires kafka.clients;

    exports io.burstlog.kafka;

    provides io.burstlog.ShipperProvider with
            io.burstlog.kafka.KafkaProvider;
    provides io.burstlog.copy.CopyProvider with
            io.burstlog.kafka.KafkaCopyProvider;
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.DoubleSupplier;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** The meters of a shipper to Kafka. They read its attributes by name, since its class is in another jar. */
final class ShipperMeters {

    private ShipperMeters() {}

    static Meters of(MeterRegistry registry, Tags tags, MBeanServer server, ObjectName name) {
        Meters meters = new Meters(registry, tags);
        counter(meters, "burstlog.shipper.records", null, "Records shipped to the topic", server, name, "Records");
        counter(meters, "burstlog.shipper.shipped", "bytes", "Bytes of these records", server, name, "Bytes");
        counter(meters, "burstlog.shipper.transactions", null, "Their transactions", server, name, "Transactions");
        counter(meters, "burstlog.shipper.failures", null, "How often it began anew", server, name, "Failures");
        gauge(meters, "burstlog.shipper.lag.records", null, "Records that the topic lacks", server, name, "LagRecords");
        gauge(meters, "burstlog.shipper.lag.size", "bytes", "Bytes of these records", server, name, "LagBytes");
        gauge(meters, "burstlog.shipper.lag", "seconds", "Age of the first of them", server, name, "LagSeconds");
        return meters;
    }

    private static void counter(
            Meters meters, String meter, String unit, String what, MBeanServer server, ObjectName name, String of) {
        meters.counter(meter, unit, what, () -> (long) value(server, name, of).getAsDouble());
    }

    private static void gauge(
            Meters meters, String meter, String unit, String what, MBeanServer server, ObjectName name, String of) {
        meters.gauge(meter, meters.tags(), unit, what, value(server, name, of));
    }

    private static DoubleSupplier value(MBeanServer server, ObjectName name, String attribute) {
        return () -> {
            try {
                return ((Number) server.getAttribute(name, attribute)).doubleValue();
            } catch (JMException notShownAnyMore) {
                throw new IllegalStateException(notShownAnyMore);
            }
        };
    }
}

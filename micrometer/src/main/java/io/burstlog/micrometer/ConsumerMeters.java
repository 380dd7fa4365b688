// SPDX-License-Identifier: Apache-2.0
package io.burstlog.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * The meters of consumers of segments, by the type of the bean that shows one. They read its attributes by name, since
 * its class is in another jar.
 *
 * @param prefix of the names of its meters
 * @param tags the properties of its name that become tags
 */
record ConsumerMeters(String prefix, List<String> tags, List<Row> rows) {

    private static final Map<String, ConsumerMeters> TYPES = Map.of(
            "Shipper",
            new ConsumerMeters(
                    "burstlog.shipper",
                    List.of("folder", "topic", "consumer"),
                    List.of(
                            counter("records", null, "Records shipped to the topic", "Records"),
                            counter("shipped", "bytes", "Bytes of these records", "Bytes"),
                            counter("transactions", null, "Their transactions", "Transactions"),
                            counter("failures", null, "How often it began anew", "Failures"),
                            gauge("lag.records", null, "Records that the topic lacks", "LagRecords"),
                            gauge("lag.size", "bytes", "Bytes of these records", "LagBytes"),
                            gauge("lag", "seconds", "Age of the first of them", "LagSeconds"),
                            gauge("ended", null, "1: it has ended by itself", "Ended"))),
            "Archiver",
            new ConsumerMeters(
                    "burstlog.archiver",
                    List.of("folder", "archive"),
                    List.of(
                            counter("records", null, "Records archived", "Records"),
                            counter("archived", "bytes", "Bytes of these records", "Bytes"),
                            counter("failures", null, "How often it began anew", "Failures"),
                            gauge("leaves", null, "Leaves of the newest signed head", "Leaves"),
                            gauge("sequence", null, "The newest sequence under it", "Sequence"),
                            gauge("head.time", "seconds", "When it was signed, since 1970", "HeadSeconds"),
                            gauge("lag.records", null, "Records that the archive lacks", "LagRecords"),
                            gauge("lag.size", "bytes", "Bytes of these records", "LagBytes"),
                            gauge("lag", "seconds", "All records that are older are archived", "LagSeconds"))),
            "Anchor",
            new ConsumerMeters(
                    "burstlog.anchor",
                    List.of("folder", "archive", "name"),
                    List.of(
                            gauge("leaves", null, "Leaves of the newest head that it confirmed", "Leaves"),
                            counter("failures", null, "How often it confirmed none", "Failures"),
                            gauge("failing", null, "1: it did not confirm the last one", "Failing"))));

    private record Row(boolean isCounter, String name, String unit, String what, String attribute) {}

    private static Row counter(String name, String unit, String what, String attribute) {
        return new Row(true, name, unit, what, attribute);
    }

    private static Row gauge(String name, String unit, String what, String attribute) {
        return new Row(false, name, unit, what, attribute);
    }

    /** {@return the meters of a bean; null if it shows something else} */
    static Meters of(MeterRegistry registry, Tags around, MBeanServer server, ObjectName bean) {
        ConsumerMeters type = TYPES.get(bean.getKeyProperty("type"));
        if (type == null) {
            return null;
        }
        Tags tags = around;
        for (String each : type.tags) {
            tags = tags.and(each, ObjectName.unquote(bean.getKeyProperty(each)));
        }
        Meters meters = new Meters(registry, tags);
        for (Row each : type.rows) {
            String name = type.prefix + "." + each.name;
            DoubleSupplier value = value(server, bean, each.attribute);
            if (each.isCounter) {
                meters.counter(name, each.unit, each.what, () -> (long) value.getAsDouble());
            } else {
                meters.gauge(name, tags, each.unit, each.what, value);
            }
        }
        return meters;
    }

    private static DoubleSupplier value(MBeanServer server, ObjectName bean, String attribute) {
        return () -> {
            try {
                Object value = server.getAttribute(bean, attribute);
                return value instanceof Boolean ? Boolean.TRUE.equals(value) ? 1 : 0 : ((Number) value).doubleValue();
            } catch (JMException notShownAnyMore) {
                throw new IllegalStateException(notShownAnyMore);
            }
        };
    }
}

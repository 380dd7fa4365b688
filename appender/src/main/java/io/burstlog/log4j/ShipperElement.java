// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.doors.Settings;
import io.burstlog.log4j.InnerElement.Attribute;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.logging.log4j.core.config.Node;

/** The elements in {@code <Burst>} whose shippers pass the records in the segments on. */
enum ShipperElement implements InnerElement.Kind {

    /** Ships records into a topic. */
    KAFKA(
            "Kafka",
            "burstlog-kafka or kafka-clients",
            "Property",
            "write <Property name=\"..\">..</Property>",
            settings -> "to-kafka-" + settings.get("topic"),
            settings -> "burstlog-kafka.jar with that folder and --topic " + settings.get("topic"),
            List.of(
                    Attribute.required("topic", "a topic that is there"),
                    new Attribute("consumer", "consumer", Settings::text),
                    new Attribute("partition", "partition", Settings::integer),
                    new Attribute("keyPattern", "keyPattern", Settings::text),
                    new Attribute("headers", "headers", Settings::text),
                    new Attribute("transactionSize", "transactionBytes", Settings::size),
                    new Attribute("acceptOldBrokers", "acceptOldBrokers", Settings::flag))),

    /** Keeps records in a signed archive. */
    ARCHIVE(
            "Archive",
            "burstlog-archive or zstd-jni",
            "Anchor",
            "write <Anchor name=\"..\" ../>",
            settings -> "to-archive",
            settings -> "burstlog-archive.jar archive with that folder, " + settings.get("archive") + " and --key "
                    + settings.get("key"),
            List.of(
                    Attribute.required("archive", "the folder of an archive that is there"),
                    Attribute.required("key", "the file of its private key"),
                    new Attribute("head", "head", Settings::text),
                    new Attribute("consumer", "consumer", Settings::text),
                    new Attribute("interval", "interval", Settings::time),
                    new Attribute("sealedEvery", "sealedEvery", Settings::count),
                    new Attribute("sealedWithin", "sealedWithin", Settings::time),
                    new Attribute("keepFor", "keepFor", Settings::time),
                    new Attribute("keepSize", "keepBytes", Settings::size)));

    private final String text;

    private final String jars;
    private final String inner;
    private final String formOfInner;
    private final List<Attribute> attributes;

    /** Makes the consumer's name, by default. */
    final Function<Map<String, String>, String> consumer;

    /** Makes the command that does the same in a process of its own. */
    final Function<Map<String, String>, String> command;

    ShipperElement(
            final String text,
            final String jars,
            final String inner,
            final String formOfInner,
            final Function<Map<String, String>, String> consumer,
            final Function<Map<String, String>, String> command,
            final List<Attribute> attributes) {
        this.text = text;
        this.jars = jars;
        this.inner = inner;
        this.formOfInner = formOfInner;
        this.consumer = consumer;
        this.command = command;
        this.attributes = attributes;
    }

    /**
     * Returns the row of an element by its name, since its type may be something else of that name, such as Log4j's own
     * appender; null if it asks for no shipper.
     */
    static ShipperElement of(final Node element) {
        return Arrays.stream(values())
                .filter(each -> isNamed(element, each.text))
                .findFirst()
                .orElse(null);
    }

    /** Tells whether the element has this name, or is of a type with this name. */
    static boolean isNamed(final Node element, final String name) {
        return element.getName().equalsIgnoreCase(name)
                || element.getType().getKey().equalsIgnoreCase(name);
    }

    @Override
    public String toString() {
        return text;
    }

    @Override
    public String jars() {
        return jars;
    }

    @Override
    public String inner() {
        return inner;
    }

    @Override
    public String formOfInner() {
        return formOfInner;
    }

    @Override
    public List<Attribute> attributes() {
        return attributes;
    }
}

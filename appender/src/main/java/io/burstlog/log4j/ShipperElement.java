// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.doors.Settings;
import io.burstlog.log4j.InnerElement.Attribute;
import io.burstlog.log4j.InnerElement.Form;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The elements in {@code <Burst>} whose shippers pass the records in the segments on. */
enum ShipperElement implements InnerElement.Kind {

    /** Ships records into a topic. */
    KAFKA(
            settings -> "to-kafka-" + settings.get("topic"),
            settings -> "burstlog-kafka.jar with that folder and --topic " + settings.get("topic"),
            Form.withProperties(
                    "Kafka",
                    "burstlog-kafka or kafka-clients",
                    List.of(
                            Attribute.required("topic", "a topic that is there"),
                            new Attribute("consumer", "consumer", Settings::text),
                            new Attribute("partition", "partition", Settings::integer),
                            new Attribute("keyPattern", "keyPattern", Settings::text),
                            new Attribute("headers", "headers", Settings::text),
                            new Attribute("transactionSize", "transactionBytes", Settings::size),
                            new Attribute("acceptOldBrokers", "acceptOldBrokers", Settings::flag)))),

    /** Keeps records in a signed archive. */
    ARCHIVE(
            settings -> "to-archive",
            settings -> "burstlog-archive.jar archive with that folder, " + settings.get("archive") + " and --key "
                    + settings.get("key"),
            new Form(
                    "Archive",
                    "burstlog-archive or zstd-jni",
                    "Anchor",
                    "write <Anchor name=\"..\" ../>",
                    List.of(
                            Attribute.required("archive", "the folder of an archive that is there"),
                            Attribute.required("key", "the file of its private key"),
                            new Attribute("head", "head", Settings::text),
                            new Attribute("consumer", "consumer", Settings::text),
                            new Attribute("interval", "interval", Settings::time),
                            new Attribute("sealedEvery", "sealedEvery", Settings::count),
                            new Attribute("sealedWithin", "sealedWithin", Settings::time),
                            new Attribute("keepFor", "keepFor", Settings::time),
                            new Attribute("keepSize", "keepBytes", Settings::size))));

    private final Form form;

    /** Makes the consumer's name, by default. */
    final Function<Map<String, String>, String> consumer;

    /** Makes the command that does the same in a process of its own. */
    final Function<Map<String, String>, String> command;

    ShipperElement(
            final Function<Map<String, String>, String> consumer,
            final Function<Map<String, String>, String> command,
            final Form form) {
        this.consumer = consumer;
        this.command = command;
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }

    /** Returns the name of the element. */
    @Override
    public String toString() {
        return form.name();
    }
}

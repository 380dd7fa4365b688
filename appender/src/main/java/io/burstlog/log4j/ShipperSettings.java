// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstException;
import io.burstlog.ShipperProvider;
import io.burstlog.doors.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The settings of an element {@code <Kafka>}.
 *
 * @param consumer the shipper's name in the folder of segments; one shipper at a time can have it
 * @param settings the values by the names of {@code ShipperConfig} of burstlog-kafka
 * @param properties the properties of Kafka's client; since passwords are among them, no message shows them
 * @param isManaged whether management clients see the shipper
 */
record ShipperSettings(
        String consumer, Map<String, String> settings, Map<String, String> properties, boolean isManaged) {

    /** The name of the element. */
    static final String ELEMENT = "Kafka";

    /** Reads an element. A value that cannot be used becomes a complaint of the reader of the outer element. */
    static ShipperSettings read(final Element element, final Settings around, final boolean isManaged) {
        final Settings reader = new Settings(element.attributes(), BurstAppenderBuilder.WORDING);
        final Map<String, String> settings = new TreeMap<>();
        final String topic = reader.requiredPath("topic", "a topic that is there");
        final String consumer = reader.text("consumer");
        final String name = consumer != null ? consumer : "to-kafka-" + topic;
        put(settings, "topic", topic);
        put(settings, "consumer", name);
        put(settings, "partition", reader.integer("partition"));
        put(settings, "keyPattern", reader.text("keyPattern"));
        put(settings, "headers", reader.text("headers"));
        put(settings, "transactionBytes", reader.size("transactionSize"));
        put(settings, "acceptOldBrokers", reader.flag("acceptOldBrokers"));
        reader.complainAboutWhatNobodyRead();
        element.unknown()
                .forEach(each -> reader.complain("the element <" + each
                        + "> is unknown here, or has no name: write <Property name=\"..\">..</Property>"));
        final ShipperSettings read = new ShipperSettings(name, settings, Map.copyOf(element.properties()), isManaged);
        if (reader.complaints() == null) {
            read.check(reader);
        }
        if (reader.complaints() != null) {
            around.complain("<" + ELEMENT + ">: " + reader.complaints());
        }
        return read;
    }

    private static void put(final Map<String, String> settings, final String name, final Object value) {
        if (value != null) {
            settings.put(name, value.toString());
        }
    }

    private void check(final Settings reader) {
        try {
            final ShipperProvider provider = provider();
            if (provider == null) {
                complainAboutClassPath(reader, "");
            } else {
                provider.check(request("folder"));
            }
        } catch (final BurstException refusal) {
            reader.complain(refusal.getMessage());
        } catch (final ServiceConfigurationError | LinkageError missing) {
            complainAboutClassPath(reader, " (" + missing + ")");
        }
    }

    private static void complainAboutClassPath(final Settings reader, final String why) {
        reader.complain(
                "burstlog-kafka or kafka-clients is not on the class path: add both, or remove the element" + why);
    }

    /** Returns the provider of shippers; null if there is none. */
    private static ShipperProvider provider() {
        for (final ShipperProvider each :
                ServiceLoader.load(ShipperProvider.class, ShipperSettings.class.getClassLoader())) {
            if (each.element().equals(ELEMENT)) {
                return each;
            }
        }
        return null;
    }

    /** @throws BurstException if the folder cannot be opened */
    ShipperProvider.Shipper start(final String folder) {
        return provider().start(request(folder));
    }

    private ShipperProvider.Request request(final String folder) {
        return new ShipperProvider.Request(folder, settings, properties, isManaged, ElementHolder::report);
    }

    @Override
    public String toString() {
        return ELEMENT + settings;
    }

    /**
     * The element as it stands in the configuration, with its lookups resolved.
     *
     * @param unknown the names of elements that have no place there
     */
    record Element(SortedMap<String, String> attributes, Map<String, String> properties, List<String> unknown) {

        Element() {
            this(new TreeMap<>(String.CASE_INSENSITIVE_ORDER), new HashMap<>(), new ArrayList<>());
        }
    }
}

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
 * The settings of an element that asks for a shipper.
 *
 * @param consumer the shipper's name in the folder of segments; one shipper at a time can have it
 * @param settings the values by the names in the provider's request
 * @param inner the attributes of the elements inside; since passwords are among them, no message shows them
 * @param isManaged whether management clients see the shipper
 */
record ShipperSettings(
        ShipperElement element,
        String consumer,
        Map<String, String> settings,
        Map<String, Map<String, String>> inner,
        boolean isManaged) {

    /** Reads an element. A value that cannot be used becomes a complaint of the reader of the outer element. */
    static ShipperSettings read(final Element element, final Settings around, final boolean isManaged) {
        final ShipperElement kind = element.kind();
        final Settings reader = new Settings(element.attributes(), BurstAppenderBuilder.WORDING);
        final Map<String, String> settings = new TreeMap<>();
        kind.attributes.forEach(each -> {
            final Object value = each.read().apply(reader, each.name());
            if (value != null) {
                settings.put(each.setting(), value.toString());
            }
        });
        settings.putIfAbsent("consumer", kind.consumer.apply(settings));
        reader.complainAboutWhatNobodyRead();
        element.unknown()
                .forEach(each -> reader.complain(
                        "the element <" + each + "> is unknown here, or has no name: " + kind.formOfInner));
        element.twice()
                .forEach(each -> reader.complain("two elements <" + kind.inner + "> have the name " + each
                        + ": give one of them another one, or remove it"));
        final ShipperSettings read =
                new ShipperSettings(kind, settings.get("consumer"), settings, Map.copyOf(element.inner()), isManaged);
        if (reader.complaints() == null) {
            read.check(reader);
        }
        if (reader.complaints() != null) {
            around.complain("<" + kind + ">: " + reader.complaints());
        }
        return read;
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

    private void complainAboutClassPath(final Settings reader, final String why) {
        reader.complain(element.jars + " is not on the class path: add both, or remove the element" + why);
    }

    /** Returns the provider of shippers; null if there is none. */
    private ShipperProvider provider() {
        for (final ShipperProvider each :
                ServiceLoader.load(ShipperProvider.class, ShipperSettings.class.getClassLoader())) {
            if (each.element().equals(element.toString())) {
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
        return new ShipperProvider.Request(folder, settings, inner, isManaged, ElementHolder::report);
    }

    @Override
    public String toString() {
        return element.toString() + settings;
    }

    /**
     * The element as it stands in the configuration, with its lookups resolved.
     *
     * @param inner the attributes of the elements inside, by their names
     * @param unknown the names of elements that have no place there
     * @param twice the names that two elements inside have
     */
    record Element(
            ShipperElement kind,
            SortedMap<String, String> attributes,
            Map<String, Map<String, String>> inner,
            List<String> unknown,
            List<String> twice) {

        Element(final ShipperElement kind) {
            this(kind, insensitive(), new HashMap<>(), new ArrayList<>(), new ArrayList<>());
        }

        /** Returns a new map whose keys are the same in capital and small letters, as Log4j's attributes are. */
        static SortedMap<String, String> insensitive() {
            return new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        }
    }
}

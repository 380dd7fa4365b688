// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstException;
import io.burstlog.ShipperProvider;
import io.burstlog.doors.Settings;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

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
    static ShipperSettings read(
            final InnerElement<ShipperElement> element, final Settings around, final boolean isManaged) {
        final Settings reader = element.reader();
        final Map<String, String> settings = element.settings(reader);
        settings.putIfAbsent("consumer", element.kind().consumer.apply(settings));
        final ShipperSettings read = new ShipperSettings(
                element.kind(), settings.get("consumer"), settings, Map.copyOf(element.inner()), isManaged);
        if (reader.complaints() == null) {
            read.check(element, reader);
        }
        element.complain(reader, around);
        return read;
    }

    private void check(final InnerElement<ShipperElement> read, final Settings reader) {
        try {
            final ShipperProvider provider = provider();
            if (provider == null) {
                read.complainAboutClassPath(reader, "");
            } else {
                provider.check(request("folder"));
            }
        } catch (final BurstException refusal) {
            reader.complain(refusal.getMessage());
        } catch (final ServiceConfigurationError | LinkageError missing) {
            read.complainAboutClassPath(reader, " (" + missing + ")");
        }
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
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Starts shippers of folders of segments for the readers of configurations. {@link java.util.ServiceLoader} finds it;
 * {@code burstlog-kafka} provides the element {@code <Kafka>}, {@code burstlog-archive} the element {@code <Archive>},
 * and {@code burstlog-bookkeeper} the element {@code <BookKeeper>}.
 *
 * <p>Thread-safe.
 */
public interface ShipperProvider {

    /**
     * The values of one element.
     *
     * @param folder the folder of segments
     * @param settings values by the names of their setters, sizes in bytes, times as {@link Duration#toString}; an
     *     absent one has its default
     * @param inner the elements inside, by their names: the attributes of each, and its text as {@code value}
     * @param isManaged whether management clients see it
     * @param listener gets the shipper's events, in threads of the shipper
     */
    record Request(
            String folder,
            Map<String, String> settings,
            Map<String, Map<String, String>> inner,
            boolean isManaged,
            Consumer<BurstEvent> listener) {

        /** {@return the values of the elements inside, by their names} */
        public Map<String, String> properties() {
            Map<String, String> properties = new HashMap<>();
            inner.forEach((name, attributes) -> properties.put(name, attributes.getOrDefault("value", "")));
            return properties;
        }
    }

    /** A running shipper. Thread-safe. */
    interface Shipper {

        /** {@return whether it has ended by itself} */
        boolean hasEnded();

        /**
         * Ships the records in the folder until something fails, and lets go of the folder. The next shipper ships what
         * is left.
         *
         * @param limit the longest time for that; with zero it ends the batch under way, and ships nothing more
         */
        void close(Duration limit);
    }

    /** {@return the name of the element} */
    String element();

    /**
     * Checks all that can be checked without the folder and without the receiver of the records.
     *
     * @param request the values of the element
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT}: a sentence about what is wrong
     */
    void check(Request request);

    /**
     * Starts a shipper. All its threads, now and later, are in the group of the calling thread.
     *
     * @param request the values of the element
     * @return the running shipper
     * @throws BurstException if the folder cannot be opened
     */
    Shipper start(Request request);
}

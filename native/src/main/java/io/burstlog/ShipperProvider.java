// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What a module that passes folders of segments on has for those who read configurations:
 * {@link java.util.ServiceLoader} finds it. {@code burstlog-kafka} has the one of the element {@code <Kafka>}.
 *
 * <p>Thread-safe.
 */
public interface ShipperProvider {

    /**
     * What an element asks for.
     *
     * @param folder the folder of segments
     * @param settings by the names of the setters that they are for, sizes in bytes; what is absent has its default
     * @param properties of whoever receives the records
     * @param isManaged whether management clients see it
     * @param listener hears what there is to tell; called by threads of the shipper
     */
    record Request(
            String folder,
            Map<String, String> settings,
            Map<String, String> properties,
            boolean isManaged,
            Consumer<BurstEvent> listener) {}

    /** One that runs. Thread-safe. */
    interface Shipper {

        /** {@return whether it has ended by itself} */
        boolean hasEnded();

        /**
         * Ships what is in the folder, until something fails; then it lets go of the folder. What is left is shipped by
         * the next one.
         *
         * @param limit how long that may take; zero: it ends what is under way, and ships nothing more
         */
        void close(Duration limit);
    }

    /** {@return the name of the element} */
    String element();

    /**
     * Checks what can be checked without the folder and without whoever receives the records.
     *
     * @param request what is asked for
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT}: a sentence about what is wrong
     */
    void check(Request request);

    /**
     * Starts a shipper. Every thread that it has, now or later, is in the group of the calling one.
     *
     * @param request what is asked for
     * @return the running shipper
     * @throws BurstException if the folder cannot be opened
     */
    Shipper start(Request request);
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.jmx.Registration;
import java.util.function.Supplier;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * That something open is shown to management clients. Nothing that goes wrong here keeps a log from being opened or
 * closed: a warning says so.
 */
final class Shown {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private final Registration registration;

    private Shown(final Registration registration) {
        this.registration = registration;
    }

    /**
     * Shows something.
     *
     * @param jmx whether it is to be shown
     * @param register what shows it
     */
    static Shown of(final boolean jmx, final Supplier<Registration> register) {
        try {
            return new Shown(jmx ? register.get() : Registration.NONE);
        } catch (final RuntimeException | Error failure) {
            warn(failure);
            return new Shown(Registration.NONE);
        }
    }

    /** Takes it out of sight. */
    void end() {
        try {
            registration.close();
        } catch (final RuntimeException | Error failure) {
            warn(failure);
        }
    }

    private static void warn(final Throwable failure) {
        LOGGER.warn("Burst: {}; set jmx=\"false\" if it need not be shown.", failure.getMessage());
    }
}

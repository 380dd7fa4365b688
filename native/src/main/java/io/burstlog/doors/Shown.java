// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstEvent;
import io.burstlog.jmx.Registration;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * Shows an open ring or log file to management clients. A failure here keeps no log from being opened or closed: the
 * operator gets a warning.
 */
final class Shown {

    private final Registration registration;
    private final Supplier<Holder> operator;

    private Shown(Registration registration, Supplier<Holder> operator) {
        this.registration = registration;
        this.operator = operator;
    }

    /**
     * Shows a ring or log file.
     *
     * @param jmx whether it is to be shown
     * @param register registers it
     * @param operator returns the holder that gets the warning
     */
    static Shown of(boolean jmx, Supplier<Registration> register, Supplier<Holder> operator) {
        try {
            return new Shown(jmx ? register.get() : Registration.NONE, operator);
        } catch (RuntimeException | Error failure) {
            warn(failure, operator);
            return new Shown(Registration.NONE, operator);
        }
    }

    /** Stops showing the ring or log file. */
    void end() {
        try {
            registration.close();
        } catch (RuntimeException | Error failure) {
            warn(failure, operator);
        }
    }

    private static void warn(Throwable failure, Supplier<Holder> operator) {
        operator.get()
                .hear(new BurstEvent(
                        BurstEvent.Severity.WARN,
                        Instant.now(),
                        failure.getMessage() + "; set jmx=\"false\" if it need not be shown."));
    }
}

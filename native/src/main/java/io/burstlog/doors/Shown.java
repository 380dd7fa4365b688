// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstEvent;
import io.burstlog.jmx.Registration;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * That something open is shown to management clients. Nothing that goes wrong here keeps a log from being opened or
 * closed: a warning says so.
 */
final class Shown {

    private final Registration registration;
    private final Supplier<Holder> operator;

    private Shown(Registration registration, Supplier<Holder> operator) {
        this.registration = registration;
        this.operator = operator;
    }

    /**
     * Shows something.
     *
     * @param jmx whether it is to be shown
     * @param register what shows it
     * @param operator hears what goes wrong
     */
    static Shown of(boolean jmx, Supplier<Registration> register, Supplier<Holder> operator) {
        try {
            return new Shown(jmx ? register.get() : Registration.NONE, operator);
        } catch (RuntimeException | Error failure) {
            warn(failure, operator);
            return new Shown(Registration.NONE, operator);
        }
    }

    /** Takes it out of sight. */
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

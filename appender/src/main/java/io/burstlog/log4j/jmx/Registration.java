// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.jmx;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.status.StatusLogger;

/** That something open is shown to management clients. */
public final class Registration {

    /** Nothing is shown. */
    public static final Registration NONE = new Registration(null, "nothing");

    private static final Logger LOGGER = StatusLogger.getLogger();

    private final ObjectName name;
    private final String what;

    private Registration(final ObjectName name, final String what) {
        this.name = name;
        this.what = what;
    }

    /**
     * Shows something; if that fails a warning says so. Nothing that goes wrong here keeps a log from being opened or
     * closed.
     *
     * @param bean what is asked for the figures
     * @param key what follows the domain in its name
     * @param what it is, for a sentence
     * @return what ends that
     */
    static Registration of(final Object bean, final String key, final String what) {
        try {
            final ObjectName name = new ObjectName("io.burstlog:" + key);
            ManagementFactory.getPlatformMBeanServer().registerMBean(bean, name);
            return new Registration(name, what);
        } catch (final JMException | RuntimeException | Error failure) { // no memory, no module java.management
            warn(what, "not shown to management clients", failure);
            return NONE;
        }
    }

    /** Takes it out of sight. */
    public void end() {
        if (name == null) {
            return;
        }
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (final JMException | RuntimeException | Error failure) {
            warn(what, "still shown to management clients", failure);
        }
    }

    private static void warn(final String what, final String state, final Throwable failure) {
        LOGGER.warn("Burst: {} is {}: {}; set jmx=\"false\" if it need not be shown.", what, state, failure.toString());
    }
}

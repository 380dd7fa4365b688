// SPDX-License-Identifier: Apache-2.0
package io.burstlog.jmx;

import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Shows an open ring or stream to management clients until this object is closed. Closing it closes nothing else.
 *
 * <pre>{@code
 * try (BurstLog log = BurstLog.open(config);
 *         Registration shown = Registration.ofRing(config.ring(), log);
 *         Registration orders = Registration.ofStream(config.ring(), config.main().fileName(), log.mainStream())) {
 * }</pre>
 *
 * <p>The appender {@code <Burst>} of Log4j shows its rings and log files by itself.
 */
public final class Registration implements AutoCloseable {

    /** A registration that shows nothing. */
    public static final Registration NONE = new Registration(null, "nothing");

    private final ObjectName name;
    private final String what;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private Registration(ObjectName name, String what) {
        this.name = name;
        this.what = what;
    }

    /**
     * Shows an open ring as {@link RingMXBean}.
     *
     * @param ring the file or device that holds the ring, as clients are to see it
     * @param log the open log
     * @return the registration, whose close ends this
     * @throws IllegalStateException if the ring cannot be shown, for instance because its name is taken; the log works
     *     all the same
     */
    public static Registration ofRing(String ring, BurstLog log) {
        return ofRing(ring, log, () -> 0, () -> null);
    }

    /**
     * Shows an open ring as {@link #ofRing(String, BurstLog)} does, but leaves some of the calls that found the ring
     * full out of the figures, and tells where the second copy is.
     *
     * @param ring the file or device that holds the ring
     * @param log the open log
     * @param fullWaitsOfNoRecord returns how many of these calls are not to be shown
     * @param copyPlace returns where the copy is; null while nobody knows
     * @return the registration, whose close ends this
     */
    public static Registration ofRing(
            String ring, BurstLog log, LongSupplier fullWaitsOfNoRecord, Supplier<String> copyPlace) {
        return of(
                new RingManagement(ring, log, fullWaitsOfNoRecord, copyPlace),
                "type=Ring,name=" + ObjectName.quote(ring),
                "the ring " + ring);
    }

    /**
     * Shows an open stream as {@link StreamMXBean}.
     *
     * @param ring the file or device that holds the ring, as clients are to see it
     * @param file the log file by which clients know the stream
     * @param stream the open stream
     * @return the registration, whose close ends this
     * @throws IllegalStateException as {@link #ofRing(String, BurstLog)}
     */
    public static Registration ofStream(String ring, String file, BurstStream stream) {
        return of(
                new StreamManagement(ring, stream),
                "type=Stream,ring=" + ObjectName.quote(ring) + ",file=" + ObjectName.quote(file),
                "the log file " + file);
    }

    /**
     * Shows another bean, whose owner works all the same if that fails.
     *
     * @param bean an MXBean
     * @param key the properties of its name in the domain {@code io.burstlog}
     * @param notShown gets a sentence with the reason if the bean cannot be shown, for instance because its name is
     *     taken
     * @return the registration, whose close ends this; {@link #NONE} if the bean cannot be shown
     */
    public static Registration ofBean(Object bean, String key, Consumer<String> notShown) {
        try {
            return of(bean, key, key);
        } catch (IllegalStateException cannotBeShown) {
            notShown.accept(cannotBeShown.getMessage());
            return NONE;
        }
    }

    private static Registration of(Object bean, String key, String what) {
        try {
            ObjectName name = new ObjectName("io.burstlog:" + key);
            ManagementFactory.getPlatformMBeanServer().registerMBean(bean, name);
            return new Registration(name, what);
        } catch (JMException | RuntimeException | Error failure) { // no memory, no module java.management
            throw new IllegalStateException(what + " is not shown to management clients: " + failure, failure);
        }
    }

    /**
     * Stops showing the ring or stream; does nothing if it is not shown any more.
     *
     * @throws IllegalStateException if it is still shown afterwards
     */
    @Override
    public void close() {
        if (name == null || isClosed.getAndSet(true)) { // the name may be another one's by now
            return;
        }
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (InstanceNotFoundException alreadyOutOfSight) {
            // Nothing is shown, as the caller wants.
        } catch (JMException | RuntimeException | Error failure) {
            isClosed.set(false);
            throw new IllegalStateException(what + " is still shown to management clients: " + failure, failure);
        }
    }
}

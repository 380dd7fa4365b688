// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.jmx;

import io.burstlog.BurstLog;
import io.burstlog.BurstStats;
import io.burstlog.Stage;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * What an open ring shows to management clients. Nothing that goes wrong here keeps a log from being opened or closed.
 */
public final class RingManagement implements RingMXBean {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private final String ring;
    private final BurstLog log;
    private final LongSupplier fullWaitsOfNoEvent;

    private RingManagement(final String ring, final BurstLog log, final LongSupplier fullWaitsOfNoEvent) {
        this.ring = ring;
        this.log = log;
        this.fullWaitsOfNoEvent = fullWaitsOfNoEvent;
    }

    /** What ends a registration; it does nothing if there is none. */
    public interface Registration {

        /** Takes the ring out of sight. */
        void end();
    }

    /**
     * Registers an open ring; if that fails a warning says so.
     *
     * @param ring the file or device that holds the ring
     * @param log what is open
     * @param fullWaitsOfNoEvent how many of the calls that found the ring full were for no event
     * @return what ends that
     */
    public static Registration register(final String ring, final BurstLog log, final LongSupplier fullWaitsOfNoEvent) {
        try {
            final ObjectName name = nameOf(ring);
            ManagementFactory.getPlatformMBeanServer()
                    .registerMBean(new RingManagement(ring, log, fullWaitsOfNoEvent), name);
            return () -> unregister(name);
        } catch (final JMException | RuntimeException | Error failure) { // no memory, no module java.management
            warn(ring, "not shown to management clients", failure);
            return () -> {};
        }
    }

    private static ObjectName nameOf(final String ring) throws JMException {
        return new ObjectName("io.burstlog:type=Ring,name=" + ObjectName.quote(ring));
    }

    private static void unregister(final ObjectName name) {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (final JMException | RuntimeException | Error failure) {
            warn(ObjectName.unquote(name.getKeyProperty("name")), "still shown to management clients", failure);
        }
    }

    private static void warn(final String ring, final String what, final Throwable failure) {
        LOGGER.warn(
                "Burst: the ring {} is {}: {}; set jmx=\"false\" if it need not be shown.",
                ring,
                what,
                failure.toString());
    }

    private BurstStats stats() {
        return log.stats();
    }

    private StageFigures figures(final Stage stage) {
        return StageFigures.of(stats().stages().get(stage));
    }

    @Override
    public String getRing() {
        return ring;
    }

    @Override
    public String getLogFile() {
        return log.currentFile();
    }

    @Override
    public BurstStats.State getState() {
        return stats().state();
    }

    @Override
    public long getAcceptedSequence() {
        return stats().acceptedSequence();
    }

    @Override
    public long getDurableSequence() {
        return stats().durableSequence();
    }

    @Override
    public long getDrainedSequence() {
        return stats().drainedSequence();
    }

    @Override
    public long getCapacityBytes() {
        return stats().capacityBytes();
    }

    @Override
    public long getUsedBytes() {
        return stats().usedBytes();
    }

    @Override
    public long getFullWaits() {
        // In this order: the engine counts a call first.
        final long ofNoEvent = fullWaitsOfNoEvent.getAsLong();
        return stats().fullWaits() - ofNoEvent;
    }

    @Override
    public long getDiscarded() {
        return stats().discarded();
    }

    @Override
    public long getLostEnqueued() {
        return stats().lostEnqueued();
    }

    @Override
    public StageFigures getClaimWait() {
        return figures(Stage.CLAIM_WAIT);
    }

    @Override
    public StageFigures getCopy() {
        return figures(Stage.COPY);
    }

    @Override
    public StageFigures getCommitWait() {
        return figures(Stage.COMMIT_WAIT);
    }

    @Override
    public StageFigures getDeviceWrite() {
        return figures(Stage.DEVICE_WRITE);
    }

    @Override
    public StageFigures getDrainLag() {
        return figures(Stage.DRAIN_LAG);
    }
}

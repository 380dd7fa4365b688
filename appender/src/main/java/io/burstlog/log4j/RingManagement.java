// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstLog;
import io.burstlog.BurstStats;
import io.burstlog.Stage;
import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * What an open ring shows to management clients. Nothing that goes wrong here keeps a log from being opened or closed.
 */
final class RingManagement implements RingMXBean {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private final String ring;
    private final BurstLog log;
    private final FullRingCount fullRing;

    private RingManagement(final String ring, final BurstLog log, final FullRingCount fullRing) {
        this.ring = ring;
        this.log = log;
        this.fullRing = fullRing;
    }

    /** What ends the registration; it does nothing if there is none. */
    interface Registration {
        void end();
    }

    /** Registers the ring unless it is not wanted; if that fails a warning says so. */
    static Registration register(final RingAttributes attributes, final BurstLog log, final FullRingCount fullRing) {
        if (!attributes.jmx()) {
            return () -> {};
        }
        try {
            final ObjectName name = nameOf(attributes.ring());
            ManagementFactory.getPlatformMBeanServer()
                    .registerMBean(new RingManagement(attributes.ring(), log, fullRing), name);
            return () -> unregister(name);
        } catch (final JMException | RuntimeException | Error failure) { // no memory, no module java.management
            warn(attributes.ring(), "not shown to management clients", failure);
            return () -> {};
        }
    }

    static ObjectName nameOf(final String ring) throws JMException {
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
        // In this order: the engine counts an offer first.
        final long repeated = fullRing.repeatedOffers();
        return stats().fullWaits() - repeated;
    }

    @Override
    public long getDiscarded() {
        return fullRing.discardedEvents();
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

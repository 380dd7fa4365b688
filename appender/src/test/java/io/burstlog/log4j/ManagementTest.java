// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.Stage;
import io.burstlog.StageStats;
import io.burstlog.jmx.RingMXBean;
import io.burstlog.jmx.StreamMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManagementTest {

    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

    /** So few are all timed on any medium. */
    private static final int EVENTS = 60;

    @TempDir
    Path temporary;

    private OrdersDirectory directory;
    private ObjectName name;

    @BeforeEach
    void chooseDirectory() throws IOException, JMException {
        directory = new OrdersDirectory(temporary.toRealPath());
        name = new ObjectName("io.burstlog:type=Ring,name=\"" + directory.ring() + "\"");
    }

    private RunningLog4j log4jWith(final String attributes) {
        return RunningLog4j.with(RunningLog4j.xml(directory.burst(attributes)));
    }

    private static void logSome(final RunningLog4j log4j) {
        for (int i = 0; i < EVENTS; i++) {
            log4j.logger().info("order {}", i);
        }
        log4j.awaitDrained();
    }

    @Test
    void an_open_ring_is_shown_as_it_is_and_a_closed_one_is_not() throws JMException {
        try (RunningLog4j log4j = log4jWith("")) {
            logSome(log4j);
            final RingMXBean shown = JMX.newMXBeanProxy(SERVER, name, RingMXBean.class);
            final var stats = log4j.orders().ring().log().stats();
            assertThat(shown.getRing()).isEqualTo(directory.ring().toString());
            assertThat(SERVER.getAttribute(name, "State")).isEqualTo("OPEN");
            assertThat(shown.getAcceptedSequence()).isEqualTo(EVENTS);
            assertThat(shown.getDurableSequence()).isEqualTo(EVENTS);
            assertThat(shown.getDrainedSequence()).isEqualTo(EVENTS);
            assertThat(shown.getCapacityBytes()).isEqualTo(stats.capacityBytes());
            assertThat(shown.getUsedBytes()).isBetween(0L, stats.capacityBytes());
            assertThat(List.of(shown.getFullWaits(), shown.getDiscarded(), shown.getLostEnqueued()))
                    .containsOnly(0L);
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        assertThat(SERVER.isRegistered(name)).isFalse();
    }

    @Test
    void each_open_log_file_is_shown_with_figures_of_its_own() throws JMException {
        final ObjectName ofFile = streamName(directory.file());
        final Path audit = directory.path().resolve("audit.log");
        final String second =
                directory.burst().replace("\"Orders\"", "\"Audit\"").replace("" + directory.file(), "" + audit);
        final String loggers = "<Root level=\"all\"><AppenderRef ref=\"Orders\"/></Root>";
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst() + second, loggers))) {
            logSome(log4j);
            final StreamMXBean orders = JMX.newMXBeanProxy(SERVER, ofFile, StreamMXBean.class);
            assertThat(orders.getRing()).isEqualTo(directory.ring().toString());
            assertThat(orders.getLogFile()).isEqualTo(directory.file().toString());
            assertThat(SERVER.getAttribute(ofFile, "State")).isEqualTo("OPEN");
            assertThat(orders.getDrainedSequence()).isEqualTo(EVENTS);
            assertThat(orders.getDrainedRecords()).isEqualTo(EVENTS);
            assertThat(orders.getDrainedBytes()).isPositive().isEqualTo(orders.getFileBytes());
            Patience.await().until(() -> orders.getHeldBytes() == 0);
            assertThat(orders.getDiscarded()).isZero();
            assertThat(SERVER.getAttribute(streamName(audit), "DrainedRecords")).isEqualTo(0L);
            log4j.reconfigure(RunningLog4j.xml(directory.burst()));
            assertThat(SERVER.isRegistered(streamName(audit))).isFalse();
            assertThat(SERVER.isRegistered(ofFile)).isTrue();
        }
        assertThat(SERVER.isRegistered(ofFile)).isFalse();
    }

    private ObjectName streamName(final Path file) throws JMException {
        return new ObjectName("io.burstlog:type=Stream,ring=\"" + directory.ring() + "\",file=\"" + file + "\"");
    }

    @Test
    void every_stage_is_shown_as_composite_data() throws JMException {
        try (RunningLog4j log4j = log4jWith("")) {
            logSome(log4j);
            final Map<Stage, String> attributes = new EnumMap<>(Map.of(
                    Stage.CLAIM_WAIT, "ClaimWait",
                    Stage.COPY, "Copy",
                    Stage.COMMIT_WAIT, "CommitWait",
                    Stage.DEVICE_WRITE, "DeviceWrite",
                    Stage.DRAIN_LAG, "DrainLag",
                    Stage.ENQUEUE_LAG, "EnqueueLag",
                    Stage.COPY_WAIT, "CopyWait"));
            for (final Map.Entry<Stage, String> attribute : attributes.entrySet()) {
                final StageStats stats =
                        log4j.orders().ring().log().stats().stages().get(attribute.getKey());
                final CompositeData shown = (CompositeData) SERVER.getAttribute(name, attribute.getValue());
                assertThat(shown.getAll(new String[] {
                            "count", "meanNanos", "p50Nanos", "p99Nanos", "p999Nanos", "p9999Nanos", "maxNanos"
                        }))
                        .as("%s", attribute.getKey())
                        .containsExactly(
                                stats.count(),
                                stats.meanNanos(),
                                stats.p50Nanos(),
                                stats.p99Nanos(),
                                stats.p999Nanos(),
                                stats.p9999Nanos(),
                                stats.maxNanos());
            }
            assertThat(((CompositeData) SERVER.getAttribute(name, "DeviceWrite")).get("count"))
                    .isEqualTo((long) EVENTS);
        }
    }

    @Test
    void a_ring_that_need_not_be_shown_is_not() {
        try (RunningLog4j log4j = log4jWith("jmx=\"false\"")) {
            logSome(log4j);
            assertThat(SERVER.isRegistered(name)).isFalse();
        }
    }

    /** Another class loader leaves it so if nobody stops its appender. */
    @Test
    void a_name_that_is_taken_is_a_warning_and_stays_its_owners() throws JMException {
        final RingMXBean other = (RingMXBean) Proxy.newProxyInstance(
                RingMXBean.class.getClassLoader(),
                new Class<?>[] {RingMXBean.class},
                (proxy, method, arguments) -> null);
        SERVER.registerMBean(other, name);
        try {
            try (RunningLog4j log4j = log4jWith("")) {
                logSome(log4j);
                assertThat(log4j.status(Level.WARN))
                        .singleElement()
                        .asString()
                        .contains("WARN", directory.ring().toString(), "InstanceAlreadyExists", "jmx=\"false\"");
            }
            assertThat(directory.lines()).hasSize(EVENTS);
            assertThat(SERVER.isRegistered(name)).isTrue();
        } finally {
            SERVER.unregisterMBean(name);
        }
    }

    @Test
    void a_reconfiguration_leaves_the_ring_shown() {
        try (RunningLog4j log4j = log4jWith("")) {
            log4j.reconfigure(RunningLog4j.xml(directory.burst("ack=\"enqueued\"")));
            assertThat(SERVER.isRegistered(name)).isTrue();
            log4j.reconfigure(RunningLog4j.xml(directory.burst("jmx=\"false\"")));
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("jmx stays \"true\" instead of \"false\"");
            assertThat(SERVER.isRegistered(name)).isTrue();
        }
        assertThat(SERVER.isRegistered(name)).isFalse();
    }

    @Test
    void where_the_time_went_is_told_at_the_end() {
        final RunningLog4j log4j = log4jWith("");
        logSome(log4j);
        final var log = log4j.orders().ring().log();
        final StatusLines status = new StatusLines();
        log4j.close();
        status.stopListening();
        final StageStats write = log.stats().stages().get(Stage.DEVICE_WRITE);
        assertThat(status.atLeast(Level.INFO))
                .filteredOn(line -> line.contains("where its time went"))
                .singleElement()
                .asString()
                .startsWith("INFO Burst: ring " + directory.ring() + " is closed")
                .contains("claim wait 0; copy "
                        + log.stats().stages().get(Stage.COPY).count() + ": p50 ")
                .contains("device write " + EVENTS + ": p50 ")
                .contains(String.format(Locale.ROOT, "max %.1f; drain lag ", write.maxNanos() / 1000.0));
    }
}

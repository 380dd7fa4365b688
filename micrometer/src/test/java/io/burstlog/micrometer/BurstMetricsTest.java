// SPDX-License-Identifier: Apache-2.0
package io.burstlog.micrometer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.BurstStats;
import io.burstlog.Durability;
import io.burstlog.Stage;
import io.burstlog.StageStats;
import io.burstlog.jmx.Registration;
import io.burstlog.jmx.RingMXBean;
import io.burstlog.jmx.StageFigures;
import io.burstlog.jmx.StreamMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BurstMetricsTest {

    /** Even twice as many are all timed, on any medium. */
    private static final int APPENDS = 30;

    private static final Pattern METRIC = Pattern.compile("burstlog_\\w+");

    @TempDir
    private Path directory;

    private String ring;
    private String file;

    @BeforeEach
    void chooseFiles() {
        ring = directory.resolve("orders.ring").toString();
        file = directory.resolve("orders.log").toString();
    }

    private BurstConfig.Builder config() {
        return BurstConfig.builder().ring(ring).fileName(file).durability(Durability.PROCESS);
    }

    private BurstLog open() {
        return BurstLog.open(config().build());
    }

    private static void appendSome(BurstLog log) {
        for (int i = 0; i < APPENDS; i++) {
            log.append(("record " + i + "\n").getBytes(UTF_8));
        }
        assertThat(log.awaitDrained(Duration.ofSeconds(30))).isTrue();
    }

    private static double counter(RequiredSearch search) {
        return search.functionCounter().count();
    }

    @Test
    void metersSayWhatTheLogSaysAsLongAsItIsShown() {
        MeterRegistry registry = new SimpleMeterRegistry();
        try (BurstMetrics metrics = new BurstMetrics(Tags.of("service", "gateway"))) {
            metrics.bindTo(registry);
            try (BurstLog log = open();
                    Registration ofRing = Registration.ofRing(ring, log);
                    Registration ofFile = Registration.ofStream(ring, file, log.mainStream())) {
                appendSome(log);
                BurstStats stats = log.stats();
                for (String counted : Set.of("accepted", "durable", "drained")) {
                    assertThat(counter(registry.get("burstlog.records." + counted)
                                    .tags("service", "gateway", "ring", ring)))
                            .as(counted)
                            .isEqualTo(APPENDS);
                }
                assertThat(counter(registry.get("burstlog.commits"))).isEqualTo(stats.commits());
                assertThat(counter(registry.get("burstlog.ring.writes"))).isEqualTo(stats.deviceWrites());
                assertThat(counter(registry.get("burstlog.ring.written"))).isEqualTo(stats.deviceBytes());
                assertThat(gauge(registry.get("burstlog.ring.capacity"))).isEqualTo(stats.capacityBytes());
                assertThat(gauge(registry.get("burstlog.records.waiting"))).isZero();
                assertThat(gauge(registry.get("burstlog.ring.state").tag("state", "open")))
                        .isOne();
                assertThat(gauge(registry.get("burstlog.ring.state").tag("state", "stalled")))
                        .isZero();
                assertThat(counter(registry.get("burstlog.file.records").tags("ring", ring, "file", file)))
                        .isEqualTo(APPENDS);
                assertThat(gauge(registry.get("burstlog.file.length")))
                        .isEqualTo(log.mainStream().stats().fileBytes())
                        .isPositive();
                assertThat(ofRing).isNotSameAs(ofFile);
                log.close();
                assertThat(gauge(registry.get("burstlog.ring.state").tag("state", "closed")))
                        .isOne();
            }
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    @Test
    void aRingWithASecondCopyHasItsMetersAndAnotherRingHasNone() {
        MeterRegistry registry = new SimpleMeterRegistry();
        BurstConfig config = BurstConfig.builder()
                .ring(ring)
                .fileName(file)
                .durability(Durability.PROCESS)
                .copy("elsewhere")
                .build();
        try (BurstLog log = BurstLog.open(config);
                Registration ofRing = Registration.ofRing(ring, log);
                BurstMetrics metrics = new BurstMetrics()) {
            metrics.bindTo(registry);
            log.append("record\n".getBytes(UTF_8));
            assertThat(gauge(registry.get("burstlog.copy.behind"))).isOne();
            assertThat(gauge(registry.get("burstlog.copy.missing"))).isZero();
            assertThat(gauge(registry.get("burstlog.copy.state").tag("state", "expected")))
                    .isOne();
            assertThat(gauge(registry.get("burstlog.copy.state").tag("state", "away")))
                    .isZero();
            assertThat(counter(registry.get("burstlog.records.copied"))).isZero();
            assertThat(ofRing).isNotNull();
        }
        try (BurstLog log = BurstLog.open(config.toBuilder()
                        .copy(null)
                        .ring(directory.resolve("other.ring").toString())
                        .main(null)
                        .build());
                Registration ofRing = Registration.ofRing("other", log);
                BurstMetrics metrics = new BurstMetrics()) {
            metrics.bindTo(registry);
            assertThat(registry.find("burstlog.ring.capacity")
                            .tag("ring", "other")
                            .gauge())
                    .isNotNull();
            assertThat(registry.find("burstlog.copy.behind")
                            .tag("ring", "other")
                            .gauge())
                    .isNull();
            assertThat(ofRing).isNotNull();
        }
    }

    private static double gauge(RequiredSearch search) {
        return search.gauge().value();
    }

    @Test
    void eachMeterAsksForTheFigureOfItsName() throws JMException {
        Map<String, Long> figures = new HashMap<>();
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName ofRing = new ObjectName("io.burstlog:type=Ring,name=\"a\"");
        ObjectName ofFile = new ObjectName("io.burstlog:type=Stream,ring=\"a\",file=\"b\"");
        MeterRegistry registry = new SimpleMeterRegistry();
        try (BurstMetrics metrics = new BurstMetrics()) {
            server.registerMBean(withFiguresOfItsOwn("Ring", RingMXBean.class, figures), ofRing);
            server.registerMBean(withFiguresOfItsOwn("File", StreamMXBean.class, figures), ofFile);
            metrics.bindTo(registry);
            Map<String, String> wanted = Map.ofEntries(
                    Map.entry("records.accepted", "Ring.getAcceptedSequence"),
                    Map.entry("records.durable", "Ring.getDurableSequence"),
                    Map.entry("records.drained", "Ring.getDrainedSequence"),
                    Map.entry("records.discarded", "Ring.getDiscarded"),
                    Map.entry("records.lost", "Ring.getLostEnqueued"),
                    Map.entry("full.waits", "Ring.getFullWaits"),
                    Map.entry("commits", "Ring.getCommits"),
                    Map.entry("ring.writes", "Ring.getDeviceWrites"),
                    Map.entry("ring.written", "Ring.getDeviceBytes"),
                    Map.entry("ring.used", "Ring.getUsedBytes"),
                    Map.entry("ring.capacity", "Ring.getCapacityBytes"),
                    Map.entry("records.copied", "Ring.getCopiedSequence"),
                    Map.entry("copy.behind", "Ring.getCopyRecordsBehind"),
                    Map.entry("copy.missing", "Ring.getCopyRecordsMissing"),
                    Map.entry("file.records", "File.getDrainedRecords"),
                    Map.entry("file.written", "File.getDrainedBytes"),
                    Map.entry("file.discarded", "File.getDiscarded"),
                    Map.entry("file.length", "File.getFileBytes"),
                    Map.entry("file.held", "File.getHeldBytes"));
            wanted.forEach((meter, getter) -> {
                RequiredSearch found = registry.get("burstlog." + meter);
                double value = found.meter().measure().iterator().next().getValue();
                assertThat(value).as(meter).isEqualTo(figures.get(getter).doubleValue());
            });
            assertThat(registry.get("burstlog.records.waiting").gauge().value())
                    .isEqualTo(figures.get("Ring.getAcceptedSequence") - figures.get("Ring.getDrainedSequence"));
        } finally {
            server.unregisterMBean(ofRing);
            server.unregisterMBean(ofFile);
        }
    }

    /** A bean whose figures all differ from each other. */
    private static <T> StandardMBean withFiguresOfItsOwn(String name, Class<T> type, Map<String, Long> figures) {
        Object bean =
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Class<?> result = method.getReturnType();
                    return result == long.class
                            ? figures.computeIfAbsent(name + '.' + method.getName(), getter -> 1000L + figures.size())
                            : result.isEnum() ? result.getEnumConstants()[0] : null;
                });
        return new StandardMBean(type.cast(bean), type, true);
    }

    @Test
    void aStageIsATimerAndAHistogram() {
        MeterRegistry registry = new SimpleMeterRegistry();
        try (BurstLog log = open();
                Registration ofRing = Registration.ofRing(ring, log);
                BurstMetrics metrics = new BurstMetrics()) {
            metrics.bindTo(registry);
            for (int round = 1; round <= 2; round++) {
                appendSome(log);
                StageStats copy = log.stats().stages().get(Stage.COPY);
                RequiredSearch timer = registry.get("burstlog.stage").tag("stage", "copy");
                assertThat(timer.functionTimer().count()).isEqualTo(round * APPENDS);
                assertThat(timer.functionTimer().mean(TimeUnit.NANOSECONDS)).isCloseTo(copy.meanNanos(), within(1.0));
                assertThat(registry.get("burstlog.stage.max")
                                .tag("stage", "copy")
                                .timeGauge()
                                .value(TimeUnit.NANOSECONDS))
                        .isCloseTo(copy.maxNanos(), within(1.0));
                assertThat(registry.get("burstlog.stage.percentile")
                                .tags("stage", "copy", "percent", "99")
                                .timeGauge()
                                .value(TimeUnit.NANOSECONDS))
                        .isCloseTo(copy.p99Nanos(), within(1.0));
                assertThat(bucket(registry, "0.0000001").count()).isLessThan(round * APPENDS);
                assertThat(bucket(registry, "10").count()).isEqualTo(round * APPENDS);
                assertThat(bucket(registry, "+Inf").count()).isEqualTo(round * APPENDS);
            }
            assertThat(registry.find("burstlog.stage.within").functionCounters())
                    .hasSize(26 * Stage.values().length);
            metrics.close();
            assertThat(registry.getMeters()).isEmpty();
            assertThat(ofRing).isNotNull();
        }
    }

    @Test
    void theTimeOfAStageIsNotThatOfItsRoundedMean() throws JMException {
        AtomicReference<StageFigures> copies = new AtomicReference<>();
        AtomicReference<Double> nanos = new AtomicReference<>();
        Object bean = Proxy.newProxyInstance(
                RingMXBean.class.getClassLoader(), new Class<?>[] {RingMXBean.class}, (proxy, method, arguments) -> {
                    Class<?> result = method.getReturnType();
                    return result == StageFigures.class ? copies.get() : result == double.class ? nanos.get() : null;
                });
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("io.burstlog:type=Ring,name=\"a\"");
        MeterRegistry registry = new SimpleMeterRegistry();
        try (BurstMetrics metrics = new BurstMetrics()) {
            server.registerMBean(new StandardMBean((RingMXBean) bean, RingMXBean.class, true), name);
            metrics.bindTo(registry);
            FunctionTimer timer =
                    registry.get("burstlog.stage").tag("stage", "copy").functionTimer();
            copies.set(new StageFigures(1_000, 101, 0, 0, 0, 0, 0)); // 100.5
            nanos.set(100_500.0);
            assertThat(timer.totalTime(TimeUnit.NANOSECONDS)).isCloseTo(100_500, within(0.1));
            copies.set(new StageFigures(1_001, 100, 0, 0, 0, 0, 0)); // 100.45
            nanos.set(100_550.0);
            assertThat(timer.totalTime(TimeUnit.NANOSECONDS)).isCloseTo(100_550, within(0.1));
            assertThat(timer.count()).isEqualTo(1_001);
        } finally {
            server.unregisterMBean(name);
        }
    }

    private static FunctionCounter bucket(MeterRegistry registry, String le) {
        return registry.get("burstlog.stage.within")
                .tags("stage", "copy", "le", le)
                .functionCounter();
    }

    @Test
    void prometheusGetsAllThatTheDashboardAsksFor() throws IOException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (BurstLog log = BurstLog.open(config().copy("B").build());
                Registration ofRing = Registration.ofRing(ring, log);
                Registration ofFile = Registration.ofStream(ring, file, log.mainStream())) {
            // doc: bind
            BurstMetrics metrics = new BurstMetrics();
            metrics.bindTo(registry);
            // end
            log.copyFeed().away(); // so that nothing waits for it
            appendSome(log);
            String scrape = registry.scrape();
            Set<String> published = scrape.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.replaceFirst("[{ ].*", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(asked()).hasSizeGreaterThan(20).isSubsetOf(published);
            // Some panel or alert asks for each figure, except for these two.
            assertThat(published)
                    .isSubsetOf(union(asked(), "burstlog_records_durable_total", "burstlog_file_records_total"));
            assertThat(scrape)
                    .contains("burstlog_stage_within_total{le=\"+Inf\",ring=\"" + ring + "\",stage=\"copy\"} " + APPENDS
                            + ".0");
            assertThat(ofRing).isNotSameAs(ofFile);
            metrics.close();
        }
    }

    private static Set<String> union(Set<String> names, String... others) {
        Set<String> all = new TreeSet<>(names);
        all.addAll(Set.of(others));
        return all;
    }

    private static Set<String> asked() throws IOException {
        Set<String> names = new TreeSet<>();
        try (InputStream dashboard = BurstMetrics.class.getResourceAsStream("/burstlog-grafana.json")) {
            for (JsonNode panel : new ObjectMapper().readTree(dashboard).get("panels")) {
                for (JsonNode target : panel.get("targets")) {
                    Matcher metric = METRIC.matcher(target.get("expr").asText());
                    assertThat(metric.find()).as("%s", target).isTrue();
                    metric.reset().results().forEach(found -> names.add(found.group()));
                }
            }
        }
        return names;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.micrometer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import io.burstlog.jmx.Registration;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code scripts/check/alerts} tries the rules' logic; this test checks that Prometheus gets the metrics they ask for.
 */
class AlertsTest {

    private static final Pattern SELECTOR =
            Pattern.compile("(burstlog_\\w+)(?:\\{(\\w+=\"[^\"]*\")(?:,\\s*(\\w+=\"[^\"]*\"))?})?");
    private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");

    @TempDir
    private Path directory;

    private static final List<String> CONSUMERS = List.of(
            "type=Shipper,folder=\"a folder\",topic=\"alerts\",consumer=\"to-kafka-alerts\"",
            "type=Archiver,folder=\"a folder\",archive=\"alerts\"",
            "type=Anchor,folder=\"a folder\",archive=\"alerts\",name=\"eu\"");

    @Test
    void whatEachAlertAsksForIsPublishedWithTheLabelsThatItNames() throws Exception {
        String ring = directory.resolve("orders.ring").toString();
        String file = directory.resolve("orders.log").toString();
        BurstConfig config = BurstConfig.builder()
                .ring(ring)
                .fileName(file)
                .durability(Durability.PROCESS)
                .copy("elsewhere")
                .build();
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (BurstLog log = BurstLog.open(config);
                Registration ofRing = Registration.ofRing(ring, log);
                Registration ofFile = Registration.ofStream(ring, file, log.mainStream());
                BurstMetrics metrics = new BurstMetrics()) {
            metrics.bindTo(registry);
            for (String each : CONSUMERS) {
                ManagementFactory.getPlatformMBeanServer()
                        .registerMBean(new AnyFigures(), new ObjectName("io.burstlog:" + each));
            }
            log.append("order 1\n".getBytes(UTF_8));
            List<String> series = registry.scrape()
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
            List<String> expressions = expressions();
            assertThat(expressions).hasSizeGreaterThan(10);
            for (String expression : expressions) {
                assertThat(selectorsOf(expression))
                        .as(expression)
                        .isNotEmpty()
                        .allSatisfy(selector -> assertThat(series)
                                .anyMatch(each -> each.startsWith(selector.get(0) + "{")
                                        && selector.stream().skip(1).allMatch(each::contains)
                                        && labelsOf(expression).stream()
                                                .allMatch(label -> each.contains(label + "=\""))));
            }
            assertThat(ofRing).isNotNull();
            assertThat(ofFile).isNotNull();
        } finally {
            for (String each : CONSUMERS) {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(new ObjectName("io.burstlog:" + each));
            }
        }
    }

    private static List<String> expressions() throws IOException {
        List<String> expressions = new ArrayList<>();
        try (InputStream rules = BurstMetrics.class.getResourceAsStream("/burstlog-alerts.yml")) {
            // Up to the rule's next key.
            Matcher rule = Pattern.compile("expr: (.*?)\n +(?:for|labels):", Pattern.DOTALL)
                    .matcher(new String(rules.readAllBytes(), UTF_8));
            rule.results().forEach(found -> expressions.add(found.group(1)));
        }
        return expressions;
    }

    /** The name first, then each label with its value. */
    private static List<List<String>> selectorsOf(String expression) {
        return SELECTOR.matcher(expression)
                .results()
                .map(found -> {
                    List<String> parts = new ArrayList<>();
                    for (int i = 1; i <= found.groupCount() && found.group(i) != null; i++) {
                        parts.add(found.group(i));
                    }
                    return parts;
                })
                .toList();
    }

    /** Prometheus adds job and instance itself. */
    private static List<String> labelsOf(String expression) {
        Matcher grouping = GROUPING.matcher(expression);
        assertThat(grouping.find()).as(expression).isTrue();
        List<String> labels = new ArrayList<>(List.of(grouping.group(1).split(", ")));
        labels.removeAll(List.of("job", "instance"));
        return labels;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The meters of beans whose classes are in other jars. */
class ConsumerMetersTest {

    private static final Pattern FIGURE = Pattern.compile("(?m)^    \\w+ (?:get|is)(\\w+)\\(\\);$");

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "type=Shipper,folder=\"a folder\",topic=\"orders\",consumer=\"b\"|kafka/src/main/java/io/burstlog/kafka/ShipperMXBean.java|8",
                "type=Archiver,folder=\"a folder\",archive=\"/a\"|archive/src/main/java/io/burstlog/archive/ArchiverMXBean.java|9",
                "type=Anchor,folder=\"a folder\",archive=\"/a\",name=\"eu\"|archive/src/main/java/io/burstlog/archive/AnchorMXBean.java|3"
            })
    void eachMeterAsksForAFigureThatIsThereAsLongAsTheBeanIsShown(String key, Path source, int count) throws Exception {
        Set<String> figures = new TreeSet<>();
        FIGURE.matcher(Files.readString(Path.of("..").resolve(source)))
                .results()
                .forEach(each -> figures.add(each.group(1)));
        ObjectName name = new ObjectName("io.burstlog:" + key);
        AnyFigures bean = new AnyFigures();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (BurstMetrics metrics = new BurstMetrics()) {
            metrics.bindTo(registry);
            server.registerMBean(bean, name);
            try {
                assertThat(registry.getMeters()).hasSize(count).allSatisfy(meter -> {
                    assertThat(meter.getId().getName()).startsWith("burstlog.");
                    assertThat(meter.getId().getTags()).contains(Tag.of("folder", "a folder"));
                    assertThat(valueOf(meter)).isEqualTo(42);
                });
                assertThat(bean.asked).hasSize(count).isSubsetOf(figures);
            } finally {
                server.unregisterMBean(name);
            }
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    private static double valueOf(Meter meter) {
        return meter instanceof FunctionCounter counter ? counter.count() : ((Gauge) meter).value();
    }
}

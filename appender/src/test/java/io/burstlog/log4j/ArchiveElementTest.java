// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.ShipperProvider.Request;
import io.burstlog.log4j.FakeShipperProvider.Started;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.ConfigurationFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The element {@code <Archive>}: what is its own. {@link KafkaElementTest} has what it shares with {@code <Kafka>}, and
 * the tests of whole processes archive.
 */
class ArchiveElementTest {

    private static final String ARCHIVE = "<Archive archive=\"/archive/orders\" key=\"/etc/orders.key\"/>";

    private static final Map<String, String> FORMATS = Map.of("xml", """
        <Configuration status="off"><Properties><Property name="place">/mnt/other</Property></Properties><Appenders>
          <Burst name="Orders" ring="DIR/orders.ring" ringSize="4 MB" fileName="DIR/orders.log">
            <PatternLayout pattern="%m%n"/>
            <Archive archive="/archive/orders" key="/etc/orders.key" interval="500 ms" sealedEvery="5000"
                keepFor="7 d" keepSize="2 MB">
              <Anchor name="eu" authority="http://stamps.example.com/" caFile="${place}/ca.pem"/>
              <Anchor name="heads" file="${place}/heads"/>
            </Archive>
          </Burst>
        </Appenders><Loggers><Root level="all"><AppenderRef ref="Orders"/></Root></Loggers></Configuration>
        """, "json", """
        {"Configuration": {"status": "off", "Properties": {"Property": {"name": "place", "value": "/mnt/other"}},
          "Appenders": {"Burst": {"name": "Orders", "ring": "DIR/orders.ring", "ringSize": "4 MB",
            "fileName": "DIR/orders.log", "PatternLayout": {"pattern": "%m%n"},
            "Archive": {"archive": "/archive/orders", "key": "/etc/orders.key", "interval": "500 ms",
              "sealedEvery": 5000, "keepFor": "7 d", "keepSize": "2 MB", "Anchor": [
              {"name": "eu", "authority": "http://stamps.example.com/", "caFile": "${place}/ca.pem"},
              {"name": "heads", "file": "${place}/heads"}]}}},
          "Loggers": {"Root": {"level": "all", "AppenderRef": {"ref": "Orders"}}}}}
        """, "yaml", """
        Configuration:
          status: "off"
          Properties:
            Property:
              name: place
              value: /mnt/other
          Appenders:
            Burst:
              name: Orders
              ring: DIR/orders.ring
              ringSize: 4 MB
              fileName: DIR/orders.log
              PatternLayout:
                pattern: "%m%n"
              Archive:
                archive: /archive/orders
                key: /etc/orders.key
                interval: 500 ms
                sealedEvery: 5000
                keepFor: 7 d
                keepSize: 2 MB
                Anchor:
                  - name: eu
                    authority: http://stamps.example.com/
                    caFile: "${place}/ca.pem"
                  - name: heads
                    file: "${place}/heads"
          Loggers:
            Root:
              level: all
              AppenderRef:
                ref: Orders
        """, "properties", """
        status = off
        property.place = /mnt/other
        appender.orders.type = Burst
        appender.orders.name = Orders
        appender.orders.ring = DIR/orders.ring
        appender.orders.ringSize = 4 MB
        appender.orders.fileName = DIR/orders.log
        appender.orders.layout.type = PatternLayout
        appender.orders.layout.pattern = %m%n
        appender.orders.archive.type = Archive
        appender.orders.archive.archive = /archive/orders
        appender.orders.archive.key = /etc/orders.key
        appender.orders.archive.interval = 500 ms
        appender.orders.archive.sealedEvery = 5000
        appender.orders.archive.keepFor = 7 d
        appender.orders.archive.keepSize = 2 MB
        appender.orders.archive.eu.type = Anchor
        appender.orders.archive.eu.name = eu
        appender.orders.archive.eu.authority = http://stamps.example.com/
        appender.orders.archive.eu.caFile = ${place}/ca.pem
        appender.orders.archive.heads.type = Anchor
        appender.orders.archive.heads.name = heads
        appender.orders.archive.heads.file = ${place}/heads
        rootLogger.level = all
        rootLogger.appenderRef.orders.ref = Orders
        """);

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
        FakeShipperProvider.comeToThis(request -> {});
    }

    @AfterEach
    void leaveTheOtherTestsWithoutShippers() {
        FakeShipperProvider.go();
    }

    private RunningLog4j with(final String attributes, final String inside) {
        return RunningLog4j.with(
                RunningLog4j.xml(directory.burst("io=\"pwrite\" " + attributes, OrdersDirectory.MESSAGE + inside)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"xml", "json", "yaml", "properties"})
    void it_says_the_same_in_every_format(final String format) throws IOException {
        final Path file = temporary.resolve("log4j2." + format);
        Files.writeString(file, FORMATS.get(format).replace("DIR", temporary.toString()));
        final StatusLines status = new StatusLines();
        final LoggerContext context = new LoggerContext(format);
        context.start(ConfigurationFactory.getInstance().getConfiguration(context, format, file.toUri()));
        context.getLogger("Trading").info("order 1");
        final Request request = FakeShipperProvider.awaitStarted(1).request();
        context.stop();
        status.stopListening();
        assertThat(status.atLeast(Level.WARN)).isEmpty();
        assertThat(request.folder()).isEqualTo(directory.file() + ".segments");
        assertThat(request.settings())
                .isEqualTo(Map.of(
                        "keepFor",
                        "PT168H",
                        "keepBytes",
                        "2097152",
                        "archive",
                        "/archive/orders",
                        "key",
                        "/etc/orders.key",
                        "interval",
                        "PT0.5S",
                        "sealedEvery",
                        "5000",
                        "consumer",
                        "to-archive"));
        assertThat(request.inner())
                .isEqualTo(Map.of(
                        "eu",
                        Map.of("authority", "http://stamps.example.com/", "caFile", "/mnt/other/ca.pem"),
                        "heads",
                        Map.of("file", "/mnt/other/heads")));
        assertThat(directory.lines()).containsExactly("order 1");
    }

    @Test
    void both_elements_read_one_folder() {
        final String kafka =
                "<Kafka topic=\"orders\"><Property name=\"bootstrap.servers\">here:9092</Property></Kafka>";
        try (RunningLog4j log4j = with("", ARCHIVE + kafka)) {
            FakeShipperProvider.awaitStarted(2);
            assertThat(FakeShipperProvider.started())
                    .extracting(Started::request)
                    .extracting(request ->
                            request.folder() + " " + request.settings().get("consumer"))
                    .containsExactlyInAnyOrder(
                            directory.file() + ".segments to-archive", directory.file() + ".segments to-kafka-orders");
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        final String same = kafka.replace("topic=", "consumer=\"to-archive\" topic=");
        try (RunningLog4j log4j = with("", ARCHIVE + same)) {
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("two elements, <Archive> and <Kafka>, have the consumer to-archive");
        }
    }

    @Test
    void beside_an_external_drain_the_command_is_named_that_takes_its_place() {
        try (RunningLog4j log4j = with("drain=\"external\"", ARCHIVE)) {
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("set segments=\"" + directory.file() + ".segments\", and start java -jar"
                            + " burstlog-archive.jar archive with that folder, /archive/orders and --key"
                            + " /etc/orders.key.");
        }
        assertThat(FakeShipperProvider.started()).isEmpty();
    }

    @Test
    void among_the_appenders_it_says_where_it_belongs() {
        final String orders = directory.burst("io=\"pwrite\"", OrdersDirectory.MESSAGE);
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(ARCHIVE + orders))) {
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.ERROR))
                    .anyMatch(line -> line.contains("put <Archive> into the element <Burst>"));
        }
        assertThat(directory.lines()).containsExactly("order 1");
    }
}

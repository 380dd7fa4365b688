// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstException;
import io.burstlog.ShipperProvider.Request;
import io.burstlog.doors.ClientThreads;
import io.burstlog.log4j.FakeShipperProvider.Started;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.ConfigurationFactory;
import org.apache.logging.log4j.core.config.builder.api.ComponentBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The element {@code <Kafka>}: its messages, and the life of its shipper. The Kafka module tests the shipping. Tests
 * that wait for seconds, and depend on neither JDK nor Log4j, have the tag of those that run once.
 */
class KafkaElementTest {

    private static final String SERVERS = "<Property name=\"bootstrap.servers\">here:9092</Property>";
    private static final String KAFKA = "<Kafka topic=\"orders\">" + SERVERS + "</Kafka>";

    private static final Map<String, String> FORMATS = Map.of("xml", """
        <Configuration status="off"><Properties><Property name="where">2</Property></Properties><Appenders>
          <Burst name="Orders" ring="DIR/orders.ring" ringSize="4 MB" fileName="DIR/orders.log">
            <PatternLayout pattern="%m%n"/>
            <Kafka topic="orders" partition="${where}" transactionSize="1 MB">
              <Property name="bootstrap.servers">here:9092</Property>
              <Property name="client.rack" value="rack ${where}"/>
            </Kafka>
          </Burst>
        </Appenders><Loggers><Root level="all"><AppenderRef ref="Orders"/></Root></Loggers></Configuration>
        """, "json", """
        {"Configuration": {"status": "off", "Properties": {"Property": {"name": "where", "value": "2"}},
          "Appenders": {"Burst": {"name": "Orders", "ring": "DIR/orders.ring", "ringSize": "4 MB",
            "fileName": "DIR/orders.log", "PatternLayout": {"pattern": "%m%n"},
            "Kafka": {"topic": "orders", "partition": "${where}", "transactionSize": "1 MB", "Property": [
              {"name": "bootstrap.servers", "value": "here:9092"},
              {"name": "client.rack", "value": "rack ${where}"}]}}},
          "Loggers": {"Root": {"level": "all", "AppenderRef": {"ref": "Orders"}}}}}
        """, "yaml", """
        Configuration:
          status: "off"
          Properties:
            Property:
              name: where
              value: "2"
          Appenders:
            Burst:
              name: Orders
              ring: DIR/orders.ring
              ringSize: 4 MB
              fileName: DIR/orders.log
              PatternLayout:
                pattern: "%m%n"
              Kafka:
                topic: orders
                partition: "${where}"
                transactionSize: 1 MB
                Property:
                  - name: bootstrap.servers
                    value: here:9092
                  - name: client.rack
                    value: rack ${where}
          Loggers:
            Root:
              level: all
              AppenderRef:
                ref: Orders
        """, "properties", """
        status = off
        property.where = 2
        appender.orders.type = Burst
        appender.orders.name = Orders
        appender.orders.ring = DIR/orders.ring
        appender.orders.ringSize = 4 MB
        appender.orders.fileName = DIR/orders.log
        appender.orders.layout.type = PatternLayout
        appender.orders.layout.pattern = %m%n
        appender.orders.kafka.type = Kafka
        appender.orders.kafka.topic = orders
        appender.orders.kafka.partition = ${where}
        appender.orders.kafka.transactionSize = 1 MB
        appender.orders.kafka.servers.type = Property
        appender.orders.kafka.servers.name = bootstrap.servers
        appender.orders.kafka.servers.value = here:9092
        appender.orders.kafka.rack.type = Property
        appender.orders.kafka.rack.name = client.rack
        appender.orders.kafka.rack.value = rack ${where}
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
    void leaveTheOtherTestsWithoutKafka() {
        FakeShipperProvider.go();
    }

    private String with(final String attributes, final String kafka) {
        return RunningLog4j.xml(directory.burst("io=\"pwrite\" " + attributes, OrdersDirectory.MESSAGE + kafka));
    }

    private String folder() {
        return directory.file() + ".segments";
    }

    @ParameterizedTest
    @ValueSource(strings = {"xml", "json", "yaml", "properties"})
    void it_says_the_same_in_every_format(final String format) throws IOException {
        final Path file = temporary.resolve("log4j2." + format);
        Files.writeString(file, FORMATS.get(format).replace("DIR", temporary.toString()));
        final LoggerContext context = new LoggerContext(format);
        assertIsRead(context, ConfigurationFactory.getInstance().getConfiguration(context, format, file.toUri()));
    }

    @Test
    void a_program_builds_it() {
        final ConfigurationBuilder<BuiltConfiguration> builder = ConfigurationBuilderFactory.newConfigurationBuilder();
        final Configuration built = builder.setStatusLevel(Level.OFF)
                .add(builder.newAppender("Orders", "Burst")
                        .addAttribute("ring", directory.ring())
                        .addAttribute("ringSize", 4 << 20)
                        .addAttribute("fileName", directory.file())
                        .add(builder.newLayout("PatternLayout").addAttribute("pattern", "%m%n"))
                        .addComponent(builder.newComponent("Kafka")
                                .addAttribute("topic", "orders")
                                .addAttribute("partition", 2)
                                .addAttribute("transactionSize", 1 << 20)
                                .addComponent(property(builder, "bootstrap.servers", "here:9092"))
                                .addComponent(property(builder, "client.rack", "rack 2"))))
                .add(builder.newRootLogger(Level.ALL).add(builder.newAppenderRef("Orders")))
                .build(false);
        assertIsRead(new LoggerContext("built"), built);
    }

    private static ComponentBuilder<?> property(
            final ConfigurationBuilder<BuiltConfiguration> builder, final String name, final String value) {
        return builder.newComponent("Property").addAttribute("name", name).addAttribute("value", value);
    }

    private void assertIsRead(final LoggerContext context, final Configuration configuration) {
        final StatusLines status = new StatusLines();
        context.start(configuration);
        context.getLogger("Trading").info("order 1");
        final Request request = FakeShipperProvider.awaitStarted(1).request();
        context.stop();
        status.stopListening();
        assertThat(status.atLeast(Level.WARN)).isEmpty();
        assertThat(request.folder()).isEqualTo(folder());
        assertThat(request.settings())
                .isEqualTo(Map.of(
                        "topic",
                        "orders",
                        "partition",
                        "2",
                        "transactionBytes",
                        Integer.toString(1 << 20),
                        "consumer",
                        "to-kafka-orders"));
        assertThat(request.properties()).isEqualTo(Map.of("bootstrap.servers", "here:9092", "client.rack", "rack 2"));
        assertThat(request.isManaged()).isTrue();
        assertThat(directory.lines()).containsExactly("order 1");
        assertThat(Path.of(folder(), "head")).exists();
    }

    @Test
    void all_its_attributes_are_taken_and_the_folder_may_be_another() {
        final String kafka = "<kafka topic=\"orders\" consumer=\"mine\" keyPattern=\"(\\d+)\" headers=\"none\""
                + " acceptOldBrokers=\"true\">" + SERVERS + "</kafka>";
        final String other = temporary.resolve("other").toString();
        try (RunningLog4j log4j = RunningLog4j.with(with("jmx=\"false\" segments=\"" + other + "\"", kafka))) {
            log4j.logger().info("order 1");
            final Request request = FakeShipperProvider.awaitStarted(1).request();
            assertThat(request.folder()).isEqualTo(other);
            assertThat(request.isManaged()).isFalse();
            assertThat(request.settings())
                    .isEqualTo(Map.of(
                            "topic",
                            "orders",
                            "consumer",
                            "mine",
                            "keyPattern",
                            "(\\d+)",
                            "headers",
                            "none",
                            "acceptOldBrokers",
                            "true"));
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
    }

    /** The one error also has the provider's complaint. */
    @Test
    void what_cannot_be_used_is_told_in_the_one_error_and_nothing_is_shipped() {
        try (RunningLog4j log4j = RunningLog4j.with(with("ack=\"never\"", "<Kafka topic=\"orders\"/>"))) {
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("2 things", "<Kafka>: bootstrap.servers is missing", "ack=\"never\"");
        }
        assertThat(FakeShipperProvider.started()).isEmpty();
    }

    /** The limit is the rest of shutdownTimeout; a reconfiguration ships nothing more. */
    @Test
    void it_is_closed_behind_the_ring_and_kept_as_long_as_a_configuration_says_the_same() {
        final AtomicInteger linesAtClose = new AtomicInteger();
        try (RunningLog4j log4j = RunningLog4j.with(with("", KAFKA))) {
            final Started first = FakeShipperProvider.awaitStarted(1);
            log4j.reconfigure(with("ack=\"enqueued\"", KAFKA));
            log4j.logOrders(1, 10);
            assertThat(first.closedWithin()).isNull();
            log4j.reconfigure(with("", KAFKA.replace("here", "there")));
            final Started second = FakeShipperProvider.awaitStarted(2);
            assertThat(first.closedWithin()).isZero();
            assertThat(second.request().properties()).containsEntry("bootstrap.servers", "there:9092");
            second.atClose(() -> linesAtClose.set(directory.lines().size()));
            log4j.logOrders(10, 20);
            log4j.context().stop();
            assertThat(second.closedWithin()).isPositive().isLessThan(Patience.TIME);
            assertThat(linesAtClose).hasValue(19);
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        assertThat(FakeShipperProvider.started()).hasSize(2);
    }

    @Test
    void one_that_ended_is_started_again_by_a_new_configuration() {
        try (RunningLog4j log4j = RunningLog4j.with(with("", KAFKA))) {
            FakeShipperProvider.awaitStarted(1).end();
            log4j.reconfigure(with("", KAFKA));
            FakeShipperProvider.awaitStarted(2);
        }
    }

    @Test
    void who_is_not_named_any_more_is_told_as_it_holds_its_segments() {
        try (RunningLog4j log4j = RunningLog4j.with(with("", KAFKA))) {
            final Started first = FakeShipperProvider.awaitStarted(1);
            log4j.reconfigure(with("", KAFKA.replace("orders", "others")));
            final Started second = FakeShipperProvider.awaitStarted(2);
            assertThat(first.closedWithin()).isZero();
            assertThat(second.closedWithin()).isNull();
            assertThat(log4j.status(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains("delete " + folder() + "/consumers/to-kafka-orders");
        }
    }

    /** The change is refused, so the earlier shipper goes on. */
    @Test
    void a_refused_change_leaves_it_as_it_is() {
        try (RunningLog4j log4j = RunningLog4j.with(with("", KAFKA))) {
            final Started first = FakeShipperProvider.awaitStarted(1);
            log4j.reconfigure(with("", "<Kafka topic=\"others\"/>"));
            log4j.logger().info("order 1");
            assertThat(first.closedWithin()).isNull();
            assertThat(log4j.status(Level.ERROR)).singleElement().asString().contains("goes on as before");
        }
        assertThat(FakeShipperProvider.started())
                .singleElement()
                .satisfies(each -> assertThat(each.closedWithin()).isPositive());
    }

    @Test
    void two_appenders_of_a_log_file_share_it_and_two_elements_have_two() {
        final String both = "<Root level=\"all\"><AppenderRef ref=\"Orders\"/><AppenderRef ref=\"Second\"/></Root>";
        final String twice = KAFKA + KAFKA.replace("orders", "others");
        final String first = directory.burst("", OrdersDirectory.MESSAGE + twice);
        final String second =
                directory.burst("", OrdersDirectory.MESSAGE + KAFKA).replace("\"Orders\"", "\"Second\"");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(first + second, both))) {
            FakeShipperProvider.awaitStarted(2);
            log4j.logger().info("order 1");
            log4j.<BurstAppender>appender("Second").stop();
            assertThat(FakeShipperProvider.started())
                    .extracting(Started::closedWithin)
                    .containsOnlyNulls();
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        assertThat(FakeShipperProvider.started())
                .extracting(started -> started.request().settings().get("topic"))
                .containsExactlyInAnyOrder("orders", "others");
    }

    /** The last appender that starts is in force; Log4j decides which one that is. */
    @Test
    void of_two_appenders_that_contradict_each_other_one_is_in_force_and_that_is_told() {
        final String both = "<Root level=\"all\"><AppenderRef ref=\"Orders\"/><AppenderRef ref=\"Second\"/></Root>";
        final String first = directory.burst("", OrdersDirectory.MESSAGE + KAFKA);
        final String second = directory
                .burst("", OrdersDirectory.MESSAGE + KAFKA.replace("here", "there"))
                .replace("\"Orders\"", "\"Second\"");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(first + second, both))) {
            assertThat(log4j.status(Level.ERROR)).hasSize(1);
            final boolean isSecond =
                    log4j.status(Level.ERROR).get(0).contains("Burst 'Second': its <Kafka> is in force");
            assertThat(log4j.status(Level.ERROR).get(0))
                    .contains("the consumer to-kafka-orders of " + folder())
                    .contains("not that of Burst '" + (isSecond ? "Orders" : "Second") + "'");
            Patience.await()
                    .until(() -> FakeShipperProvider.started().stream()
                            .filter(each -> each.closedWithin() == null)
                            .map(each -> each.request().properties().get("bootstrap.servers"))
                            .toList()
                            .equals(List.of(isSecond ? "there:9092" : "here:9092")));
            log4j.reconfigure(RunningLog4j.xml(first));
            assertThat(log4j.status(Level.WARN)).hasSize(1);
        }
    }

    @Test
    void two_elements_of_one_appender_with_one_consumer_are_refused() {
        try (RunningLog4j log4j = RunningLog4j.with(with("", KAFKA + KAFKA.replace("here", "there")))) {
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("two elements, <Kafka> and <Kafka>, have the consumer to-kafka-orders");
        }
        assertThat(FakeShipperProvider.started()).isEmpty();
    }

    @Test
    void a_stop_ends_the_tries_to_open_a_folder() {
        FakeShipperProvider.comeToThis(request -> {
            throw new BurstException(BurstException.Code.OTHER, "it is not mounted.");
        });
        try (RunningLog4j log4j = RunningLog4j.with(with("shutdownTimeout=\"30 s\"", KAFKA))) {
            Patience.await().until(() -> !log4j.status(Level.WARN).isEmpty());
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("burstlog-shipper");
    }

    @Tag("comparison")
    @Test
    void a_folder_that_cannot_be_opened_is_told_once_and_tried_again() {
        final AtomicInteger tries = new AtomicInteger();
        FakeShipperProvider.comeToThis(request -> {
            if (tries.incrementAndGet() <= 2) {
                throw new BurstException(BurstException.Code.OTHER, "it is not mounted.");
            }
        });
        try (RunningLog4j log4j = RunningLog4j.with(with("", KAFKA))) {
            FakeShipperProvider.awaitStarted(1);
            Patience.await()
                    .until(() -> log4j.status(Level.WARN).stream().anyMatch(line -> line.contains("is passed on now")));
            assertThat(log4j.status(Level.WARN)).hasSize(2).first().asString().contains("it is not mounted.");
        }
    }

    @Tag("comparison")
    @Test
    void a_folder_that_does_not_answer_holds_up_no_stop_and_is_let_go_when_it_does() throws Exception {
        final CountDownLatch answers = new CountDownLatch(1);
        FakeShipperProvider.comeToThis(request -> {
            try {
                answers.await();
            } catch (final InterruptedException impossible) {
                throw new AssertionError(impossible);
            }
        });
        final RunningLog4j log4j = RunningLog4j.with(with("shutdownTimeout=\"1 s\"", KAFKA));
        log4j.logger().info("order 1");
        log4j.close();
        answers.countDown();
        final Started late = FakeShipperProvider.awaitStarted(1);
        Patience.await().until(() -> late.closedWithin() != null);
    }

    /** Else it would wait for space that only its own shipping frees, or die of its own log call. */
    @Tag("comparison")
    @Test
    void what_a_shipper_logs_neither_waits_for_space_nor_throws() throws Exception {
        final AtomicReference<ThreadGroup> group = new AtomicReference<>();
        FakeShipperProvider.comeToThis(
                request -> group.set(Thread.currentThread().getThreadGroup()));
        FullRing.makeLong(directory.file());
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        try (RunningLog4j log4j = RunningLog4j.with(with("", KAFKA));
                FileSizeLimit limit = FullRing.withoutDrain()) {
            FakeShipperProvider.awaitStarted(1);
            FullRing.fill(log4j.orders().stream().records());
            final Runnable logging = () -> {
                try {
                    log4j.logger("org.apache.kafka").info(FullRing.LARGE);
                    log4j.logger("org.apache.kafka").info("too long".repeat(200_000));
                } catch (final Throwable failure) {
                    thrown.set(failure);
                }
            };
            final Thread ofShipper = new Thread(group.get(), logging);
            ofShipper.start();
            ofShipper.join(Patience.TIME.toMillis());
            assertThat(ofShipper.isAlive()).isFalse();
            assertThat(thrown).hasNullValue();
            assertThat(log4j.status(Level.ERROR)).anyMatch(line -> line.contains("discarded"));
        }
    }

    @Test
    void its_threads_are_daemons_and_known_as_its_own() throws Exception {
        final AtomicReference<List<Boolean>> found = new AtomicReference<>();
        FakeShipperProvider.comeToThis(request ->
                found.set(List.of(ClientThreads.isOne(), Thread.currentThread().isDaemon())));
        try (RunningLog4j log4j = RunningLog4j.with(with("", KAFKA))) {
            FakeShipperProvider.awaitStarted(1);
            assertThat(found.get()).containsExactly(true, true);
            assertThat(ClientThreads.isOne()).isFalse();
            log4j.logger().info("order 1");
        }
    }
}

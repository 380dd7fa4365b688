// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.xml.XmlConfiguration;
import org.apache.logging.log4j.status.StatusData;
import org.apache.logging.log4j.status.StatusListener;
import org.apache.logging.log4j.status.StatusLogger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** {@code <Kafka>} in {@code <Burst>}, and a broker: the topic has each line of the log file, byte for byte, once. */
@Timeout(300)
class KafkaElementIT {

    private static final String ALL_OF_IT = "shutdownTimeout=\"5 min\"";

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

    private static Broker broker;

    private final List<StatusData> told = new CopyOnWriteArrayList<>();
    private final StatusListener listener = new StatusListener() {
        @Override
        public void log(StatusData data) {
            told.add(data);
        }

        @Override
        public Level getStatusLevel() {
            return Level.WARN;
        }

        @Override
        public void close() {}
    };
    private String topic;
    private Path work;

    @BeforeAll
    static void startBroker() throws IOException {
        broker = SharedBroker.get();
    }

    @BeforeEach
    void prepare(TestInfo test) throws Exception {
        topic = test.getTestMethod().orElseThrow().getName();
        work = Path.of("target", "element", topic).toAbsolutePath();
        SharedBroker.deleteTree(work);
        Files.createDirectories(work);
        StatusLogger.getLogger().registerListener(listener);
    }

    @AfterEach
    void stopListening() {
        StatusLogger.getLogger().removeListener(listener);
    }

    private String kafka(String servers, String... properties) {
        StringBuilder element = new StringBuilder("<Kafka topic=\"" + topic + "\" transactionSize=\"16 KB\">"
                + "<Property name=\"bootstrap.servers\">" + servers + "</Property>");
        for (int i = 0; i < properties.length; i += 2) {
            element.append("<Property name=\"" + properties[i] + "\" value=\"" + properties[i + 1] + "\"/>");
        }
        return element.append("</Kafka>").toString();
    }

    private String xml(String attributes, String kafka) {
        return """
            <Configuration status="warn"><Appenders>
              <Burst name="Orders" ring="%1$s/orders.ring" ringSize="8 MB" fileName="%1$s/orders.log" durability="process"
                  %2$s>
                <PatternLayout pattern="%%c{1} %%m%%n"/>%3$s
              </Burst>
            </Appenders><Loggers><Root level="info"><AppenderRef ref="Orders"/></Root>
              <Logger name="org.apache.kafka" level="debug"/></Loggers></Configuration>
            """.formatted(work, attributes, kafka);
    }

    private LoggerContext start(String xml) throws IOException {
        LoggerContext context = new LoggerContext(topic);
        context.start(configuration(context, xml));
        return context;
    }

    private static XmlConfiguration configuration(LoggerContext context, String xml) throws IOException {
        return new XmlConfiguration(context, new ConfigurationSource(new ByteArrayInputStream(xml.getBytes(UTF_8))));
    }

    private Process startHost(String said, long count) throws IOException {
        return startHost(xml(ALL_OF_IT, kafka(broker.servers())), said, count);
    }

    private Process startHost(String xml, String said, long count) throws IOException {
        Path config = Files.writeString(work.resolve("log4j2.xml"), xml);
        return Broker.java(
                work.resolve("host.out"),
                "-Dlog4j2.configurationFile=" + config,
                Log4jHost.class.getName(),
                said,
                Long.toString(count));
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        for (long begin = System.nanoTime(); !condition.getAsBoolean(); Thread.sleep(5)) {
            assertThat(System.nanoTime() - begin).isLessThan(LONG_ENOUGH.toNanos());
        }
    }

    /** Returns the number of records. */
    private int assertTopicHasTheLogFile() throws IOException {
        List<ConsumerRecord<byte[], byte[]>> found = broker.read(topic);
        ByteArrayOutputStream values = new ByteArrayOutputStream();
        long number = 0;
        for (ConsumerRecord<byte[], byte[]> each : found) {
            assertThat(WrittenStream.number(each, TopicRecords.NUMBER)).isEqualTo(++number);
            values.write(each.value());
        }
        assertThat(values.toString(UTF_8)).isEqualTo(Files.readString(work.resolve("orders.log")));
        return found.size();
    }

    /**
     * Kafka's client logs all its work into the log that it ships. Neither waits for the other, and the process ends
     * when main does. The first process is killed.
     */
    @Test
    void theHostIsKilledAndGoesOnAndEnds() throws Exception {
        broker.createTopic(topic, 1);
        Process killed = startHost("killed", Long.MAX_VALUE);
        await(() -> broker.end(topic) > 1_000);
        Broker.kill(killed);
        Process ends = startHost("ends", 500);
        assertThat(ends.waitFor(LONG_ENOUGH.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(ends.exitValue()).isZero();
        assertThat(assertTopicHasTheLogFile()).isGreaterThan(1_000);
        assertThat(Files.readString(work.resolve("orders.log")))
                .contains("Trading ends 500", "transactionalId=burstlog-");
        assertThat(Files.readString(work.resolve("host.out"))).doesNotContain("ERROR", "Exception");
    }

    @Test
    void aReconfigurationUnderLoadLosesAndDoublesNothing() throws Exception {
        broker.createTopic(topic, 1);
        String[] configurations = {
            xml(ALL_OF_IT, kafka(broker.servers())),
            xml(ALL_OF_IT + " ack=\"enqueued\"", kafka(broker.servers())),
            xml(ALL_OF_IT, kafka(broker.servers(), "linger.ms", "1")),
            xml(ALL_OF_IT + " segments=\"" + work + "/orders.log.segments\"", "")
        };
        LoggerContext context = start(configurations[0]);
        Logger logger = context.getLogger("Trading");
        Thread logging = new Thread(() -> {
            for (int i = 1; !Thread.currentThread().isInterrupted(); i++) {
                logger.info("order {}", i);
                LockSupport.parkNanos(1_000_000);
            }
        });
        logging.start();
        for (int i = 1; i <= 6; i++) {
            long before = broker.end(topic);
            if (i % 4 != 0) {
                await(() -> broker.end(topic) > before + 50);
            }
            context.reconfigure(configuration(context, configurations[i % 4]));
        }
        logging.interrupt();
        logging.join();
        context.stop();
        assertThat(assertTopicHasTheLogFile()).isGreaterThan(150);
        // Warnings of the configuration without a shipper.
        assertThat(told).extracting(StatusData::getLevel).containsOnly(Level.WARN);
        assertThat(told)
                .allMatch(data -> data.getMessage().getFormattedMessage().contains("consumers/to-kafka-"));
    }

    @Test
    void whatIsLeftAtAStopWithoutBrokersIsToldAndShippedAtTheNextStart() throws Exception {
        broker.createTopic(topic, 1);
        LoggerContext context = start(xml("shutdownTimeout=\"1 s\"", kafka("127.0.0.1:1")));
        context.getLogger("Trading").info("order 1");
        long begin = System.nanoTime();
        context.stop();
        assertThat(System.nanoTime() - begin).isLessThan(LONG_ENOUGH.toNanos());
        assertThat(told)
                .anyMatch(data -> data.getMessage().getFormattedMessage().contains("lacks the last 1 records"));
        assertThat(told)
                .anyMatch(data -> data.getMessage()
                        .getFormattedMessage()
                        .endsWith("or by: java -jar burstlog-kafka.jar " + work + "/orders.log.segments --topic "
                                + topic + " --property bootstrap.servers=127.0.0.1:1 --transaction-bytes 16384"));
        // However long it takes, it ends with the first failure.
        told.clear();
        context = start(
                xml(ALL_OF_IT, kafka("127.0.0.1:1", "default.api.timeout.ms", "900", "request.timeout.ms", "900")));
        begin = System.nanoTime();
        context.stop();
        assertThat(System.nanoTime() - begin).isLessThan(LONG_ENOUGH.toNanos());
        assertThat(told)
                .anyMatch(data -> data.getMessage().getFormattedMessage().contains("lacks the last 1 records"));
        context =
                start(xml(ALL_OF_IT, kafka(broker.servers()).replace("topic=", "keyPattern=\"order (\\d+)\" topic=")));
        context.getLogger("Trading").info("order 2");
        context.stop();
        assertThat(assertTopicHasTheLogFile()).isEqualTo(2);
        assertThat(broker.read(topic))
                .extracting(record -> new String(record.key(), UTF_8))
                .containsExactly("1", "2");
    }

    /** It logs into the log that it ships, and so into the topic. */
    @Test
    void whatAClientWithoutBrokersLogsIsBounded() throws Exception {
        String timeouts = kafka("127.0.0.1:1", "default.api.timeout.ms", "5000", "request.timeout.ms", "5000");
        Process host = startHost(xml("shutdownTimeout=\"1 s\"", timeouts), "waits", Long.MAX_VALUE);
        Path told = work.resolve("host.out");
        await(() -> read(told).contains("no broker of bootstrap.servers=127.0.0.1:1 answers ("));
        host.destroy();
        assertThat(host.waitFor(LONG_ENOUGH.toSeconds(), TimeUnit.SECONDS)).isTrue();
        List<String> ofClients = Files.readAllLines(work.resolve("orders.log")).stream()
                .filter(line -> line.matches("\\w+ .*") && !line.startsWith("Trading "))
                .toList();
        // Two budgets, since a new minute may have begun, and the lines that say how many were left out.
        assertThat(ofClients).hasSizeBetween(100, 402);
        assertThat(ofClients)
                .last()
                .asString()
                .matches("BurstAppender \\d+ events of what passes this log on, .* were left out.*");
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Test
    void whatCannotBeUsedIsRefused() throws Exception {
        assertRefused("acks", kafka("here:1", "acks", "many"));
        assertRefused("delivery", kafka("here:1", "delivery.timeout.ms", "1000", "request.timeout.ms", "2000"));
        assertRefused("bootstrap.servers", "<Kafka topic=\"orders\"/>");
        assertRefused("keyPattern", kafka("here:1").replace("topic=", "keyPattern=\"(\" topic="));
        assertRefused("between ( and )", kafka("here:1").replace("topic=", "keyPattern=\"a\" topic="));
        assertRefused("headers", kafka("here:1").replace("topic=", "headers=\"ring,all\" topic="));
        assertRefused("a key", kafka("here:1").replace("topic=", "keyPattern=\"(.)\" partition=\"1\" topic="));
    }

    private void assertRefused(String word, String kafka) throws IOException {
        told.clear();
        start(xml("", kafka)).stop();
        assertThat(told)
                .singleElement()
                .satisfies(data -> assertThat(data.getMessage().getFormattedMessage())
                        .contains("is not started: <Kafka>: ", word));
    }
}

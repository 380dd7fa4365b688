// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * {@code <Burst>} with {@code <Kafka>}, beside Log4j's own appender {@code Kafka}: how long a log call takes, and the
 * losses of each when the broker or the application is killed. scripts/bench/kafka runs it.
 */
final class KafkaComparison {

    private static final int PACE = 1_000;

    /** Kafka's default is 120 s, too long for a run. Only an outage that lasts longer than this matters. */
    private static final int DELIVERY_SECONDS = 5;

    private static final String PROPERTIES = """
        <Property name="bootstrap.servers">SERVERS</Property>
        <Property name="delivery.timeout.ms">%1$d000</Property>
        <Property name="max.block.ms">%1$d000</Property>
        <Property name="request.timeout.ms">2000</Property>
        <Property name="linger.ms">0</Property>
        """.formatted(DELIVERY_SECONDS);

    private static final String LOG4J = """
        <Kafka name="Out" topic="TOPIC" syncSend="%s" ignoreExceptions="false">
          <PatternLayout pattern="%%m%%n"/>\
        """ + PROPERTIES.replace("%", "%%") + "</Kafka>";

    /** The compared ways, by their names in the tables. */
    private enum Way {
        BURST("Burst with Kafka", """
            <Burst name="Out" ring="FOLDER/orders.ring" ringSize="16 MB" fileName="FOLDER/orders.log"
                durability="process" shutdownTimeout="60 s">
              <PatternLayout pattern="%m%n"/><Kafka topic="TOPIC">\
            """ + PROPERTIES + "</Kafka></Burst>"),
        SYNC("Kafka, syncSend=true", LOG4J.formatted("true")),
        ASYNC("Kafka, syncSend=false", LOG4J.formatted("false"));

        private final String title;
        private final String element;

        Way(String title, String element) {
            this.title = title;
            this.element = element;
        }
    }

    private final Path work;
    private final Broker broker;
    private int runs;
    private Path folder;
    private String topic;

    private KafkaComparison(Path work) throws IOException {
        this.work = work;
        broker = new Broker(work.resolve("broker"));
    }

    /** Arguments: a folder for its files, and the number of measured events. */
    public static void main(String[] arguments) throws Exception {
        Path work = Path.of(arguments[0]).toAbsolutePath();
        SharedBroker.deleteTree(work);
        KafkaComparison comparison = new KafkaComparison(work);
        try {
            comparison.run(Integer.parseInt(arguments[1]));
        } finally {
            comparison.broker.close();
        }
    }

    private void run(int events) throws Exception {
        System.out.printf("%nA log call, %d events at %d/s, one broker on this host, in us%n%n", events, PACE);
        System.out.printf("%-24s %10s %10s %10s %12s%n", "", "p50", "p99", "p99.9", "max");
        for (Way way : Way.values()) {
            Process host = start(way, events);
            requireEnd(host);
            String[] took = Files.readString(folder.resolve("took")).split(" ");
            System.out.printf("%-24s", way.title);
            for (String each : took) {
                System.out.printf(" %10.1f", Long.parseLong(each) / 1e3);
            }
            System.out.println();
        }
        System.out.printf(
                "%nThe broker is killed, and is away for longer than delivery.timeout.ms (%d s)%n%n", DELIVERY_SECONDS);
        head();
        for (Way way : Way.values()) {
            Process host = start(way, 20 * PACE);
            awaitCalls(2 * PACE);
            broker.kill();
            TimeUnit.SECONDS.sleep(2 * DELIVERY_SECONDS);
            broker.start();
            requireEnd(host);
            account(way);
        }
        System.out.printf("%nThe application is killed by SIGKILL%n%n");
        head();
        for (Way way : Way.values()) {
            Process host = start(way, 60 * PACE);
            awaitCalls(2 * PACE);
            Broker.kill(host);
            account(way);
        }
    }

    private static void head() {
        System.out.printf("%-24s %10s %10s %10s %10s %14s%n", "", "returned", "lost", "twice", "threw", "and is there");
    }

    private Process start(Way way, int events) throws Exception {
        runs++;
        topic = "run-" + runs;
        broker.createTopic(topic, 1);
        folder = Files.createDirectories(work.resolve(topic));
        String element = way.element
                .replace("FOLDER", folder.toString())
                .replace("TOPIC", topic)
                .replace("SERVERS", broker.servers());
        Files.writeString(
                folder.resolve("log4j2.xml"),
                "<Configuration status=\"warn\"><Appenders>" + element + "</Appenders><Loggers>"
                        + "<Root level=\"off\"/><Logger name=\"com.example\" level=\"info\"><AppenderRef ref=\"Out\"/>"
                        + "</Logger></Loggers></Configuration>");
        return again(events);
    }

    private Process again(int events) throws IOException {
        return Broker.java(
                folder.resolve("host.out"),
                "-XX:TieredStopAtLevel=4", // a call is measured as an application has it
                "-Dlog4j2.configurationFile=" + folder.resolve("log4j2.xml"),
                MeasuredHost.class.getName(),
                folder.toString(),
                Integer.toString(events),
                Integer.toString(PACE));
    }

    private void awaitCalls(int count) throws IOException, InterruptedException {
        Path calls = folder.resolve("calls");
        while (!Files.exists(calls) || Files.size(calls) < count || Files.readAllBytes(calls)[count - 1] == 0) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /**
     * The application is started again and ships its remaining records. Log4j's own appender has nothing to do then.
     */
    private void shipWhatIsLeft() throws IOException, InterruptedException {
        Path said = folder.resolve("host.out");
        do {
            Files.deleteIfExists(said);
            requireEnd(again(0));
        } while (Files.readString(said).contains(" lacks the last "));
    }

    private void requireEnd(Process host) throws InterruptedException {
        if (!host.waitFor(10, TimeUnit.MINUTES) || host.exitValue() != 0) {
            throw new IllegalStateException(
                    "the application has not ended as it should: " + folder.resolve("host.out"));
        }
    }

    /** A line of the table: the results of the calls, beside the content of the topic. */
    private void account(Way way) throws IOException, InterruptedException {
        byte[] calls = Files.readAllBytes(folder.resolve("calls"));
        shipWhatIsLeft();
        BitSet isThere = new BitSet();
        long twice = 0;
        for (ConsumerRecord<byte[], byte[]> each : broker.read(topic)) {
            int number = Integer.parseInt(new String(each.value(), UTF_8).trim().substring("order ".length()));
            twice += isThere.get(number) ? 1 : 0;
            isThere.set(number);
        }
        Map<String, long[]> counts = Map.of("returned", new long[2], "threw", new long[2]);
        for (int i = 0; i < calls.length; i++) {
            if (calls[i] != 0) {
                long[] of = counts.get(calls[i] == MeasuredHost.RETURNED ? "returned" : "threw");
                of[0]++;
                of[1] += isThere.get(i) ? 1 : 0;
            }
        }
        long[] returned = counts.get("returned");
        long[] threw = counts.get("threw");
        System.out.printf(
                "%-24s %10d %10d %10d %10d %14d%n",
                way.title, returned[0], returned[0] - returned[1], twice, threw[0], threw[1]);
    }
}

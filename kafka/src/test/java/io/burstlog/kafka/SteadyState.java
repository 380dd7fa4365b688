// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * A log in steady state: rolls, compression and deletion of archives, segments with a consumer, and Kafka, while an
 * application logs at a steady pace. The last third of the minutes must be as the third before: memory, descriptors,
 * threads. Prints each minute, and ends with 1 if something grows, or if an event is missing in the topic or with the
 * consumer.
 */
final class SteadyState {

    private static final String[] COLUMNS = {
        "minute", "events", "p50", "p99", "p99.9", "max", "RSS", "descriptors", "threads", "behind"
    };
    private static final int MEMORY = 6;
    private static final int DESCRIPTORS = 7;
    private static final int THREADS = 8;
    /** Growth from the second third of the run to the last one that is none, as a share. */
    private static final double MEMORY_IS_FLAT = 1.02;
    /** These differ from one moment to the next: a roll is under way, an archive is open. */
    private static final double COUNT_IS_FLAT = 3;

    private static final String TOPIC = "steady";
    private static final String CONFIGURATION = """
        <Configuration status="warn"><Appenders>
          <Burst name="Out" ring="FOLDER/orders.ring" ringSize="16 MB" fileName="FOLDER/orders.log"
              filePattern="FOLDER/orders-%i.log.gz" segments="FOLDER/segments" durability="process" shutdownTimeout="60 s">
            <PatternLayout pattern="%d{ISO8601} %p %c{1} [%t] %m%n"/>
            <SizeBasedTriggeringPolicy size="1 MB"/>
            <DefaultRolloverStrategy max="5"/>
            <Kafka topic="TOPIC"><Property name="bootstrap.servers">SERVERS</Property></Kafka>
          </Burst>
        </Appenders><Loggers><Root level="off"/>
          <Logger name="com.example" level="info"><AppenderRef ref="Out"/></Logger>
        </Loggers></Configuration>
        """;

    private SteadyState() {}

    /**
     * Arguments: a folder for its files, minutes, events a second, and the seconds of a minute, 60 unless it is tried
     * out.
     */
    public static void main(String[] arguments) throws Exception {
        Path work = Path.of(arguments[0]).toAbsolutePath();
        SharedBroker.deleteTree(work);
        int minutes = Integer.parseInt(arguments[1]);
        Broker broker = new Broker(work.resolve("broker"));
        try {
            broker.createTopic(TOPIC, 1);
            Path said = run(broker, Files.createDirectories(work.resolve("host")), arguments, minutes);
            System.exit(judge(Files.readAllLines(said), records(broker), archives(said.getParent())) ? 0 : 1);
        } finally {
            broker.close();
        }
    }

    private static Path run(Broker broker, Path folder, String[] arguments, int minutes) throws Exception {
        Path said = folder.resolve("host.out");
        Files.writeString(
                folder.resolve("log4j2.xml"),
                CONFIGURATION
                        .replace("FOLDER", folder.toString())
                        .replace("TOPIC", TOPIC)
                        .replace("SERVERS", broker.servers()));
        Process host = Broker.java(
                said,
                "-XX:TieredStopAtLevel=4", // a call is measured as an application has it
                "-Xms128m",
                "-XX:+AlwaysPreTouch",
                "-Dlog4j2.configurationFile=" + folder.resolve("log4j2.xml"),
                SteadyHost.class.getName(),
                folder.resolve("segments").toString(),
                arguments[1],
                arguments[2],
                arguments[3]);
        if (!host.waitFor(minutes + 10, TimeUnit.MINUTES) || host.exitValue() != 0) {
            throw new IllegalStateException("the application has not ended as it should: " + said);
        }
        return said;
    }

    private static long records(Broker broker) {
        AtomicLong records = new AtomicLong();
        broker.read(TOPIC, each -> records.addAndGet(each.serializedValueSize() > 0 ? 1 : 0)); // not the rolls
        return records.get();
    }

    private static long archives(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".gz")).count();
        }
    }

    /** Prints the minutes and what is wrong; returns whether nothing is. */
    static boolean judge(List<String> said, long inTheTopic, long archives) {
        long[][] minutes = said.stream()
                .filter(line -> line.startsWith("minute "))
                .map(line -> Arrays.stream(line.split(" "))
                        .skip(1)
                        .mapToLong(Long::parseLong)
                        .toArray())
                .toArray(long[][]::new);
        System.out.println("| " + String.join(" | ", COLUMNS) + " |\n|" + "---|".repeat(COLUMNS.length));
        for (long[] each : minutes) {
            System.out.println("| "
                    + String.join(
                            " | ", Arrays.stream(each).mapToObj(Long::toString).toList()) + " |");
        }
        String[] end = said.stream()
                .filter(line -> line.startsWith("end "))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the application has not said its end: " + said))
                .split(" ");
        long logged = Long.parseLong(end[1]);
        boolean isFlat = isFlat(minutes, MEMORY, MEMORY_IS_FLAT, 0)
                & isFlat(minutes, DESCRIPTORS, 1, COUNT_IS_FLAT)
                & isFlat(minutes, THREADS, 1, COUNT_IS_FLAT);
        System.out.printf(
                "logged %d, in the topic %d, consumed %s, archives %d%n", logged, inTheTopic, end[2], archives);
        return isFlat & logged == inTheTopic & logged == Long.parseLong(end[2]) & archives > 0;
    }

    private static boolean isFlat(long[][] minutes, int column, double factor, double more) {
        double before = median(minutes, column, minutes.length / 3, minutes.length * 2 / 3);
        double after = median(minutes, column, minutes.length * 2 / 3, minutes.length);
        boolean isFlat = after <= before * factor + more;
        System.out.printf("%s: %.0f, then %.0f: %s%n", COLUMNS[column], before, after, isFlat ? "flat" : "GROWS");
        return isFlat;
    }

    private static double median(long[][] minutes, int column, int from, int to) {
        long[] sorted = Arrays.stream(minutes, from, to)
                .mapToLong(each -> each[column])
                .sorted()
                .toArray();
        return sorted[sorted.length / 2];
    }
}

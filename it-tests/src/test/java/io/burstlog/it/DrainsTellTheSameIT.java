// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstConfig;
import io.burstlog.BurstEvent;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.Drain;
import io.burstlog.Durability;
import io.burstlog.StreamConfig;
import io.burstlog.jmx.Registration;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application cannot tell by its figures, its waits and its events whether its own process drains the ring, or
 * {@code burstlog drain}.
 */
class DrainsTellTheSameIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int RECORDS = 200;

    /** Figures that the drain makes. */
    private static final List<String> OF_RING = List.of("DrainedSequence", "State");

    private static final List<String> OF_STREAM =
            List.of("DrainedSequence", "DrainedRecords", "DrainedBytes", "FileBytes", "HeldBytes", "State");

    @TempDir
    private Path temporary;

    private final ConcurrentLinkedQueue<BurstEvent> events = new ConcurrentLinkedQueue<>();

    private BurstConfig config(Path folder, Drain drain) {
        return BurstConfig.builder()
                .ring(folder.resolve("ring").toString())
                .fileName(folder.resolve("main.log").toString())
                .ringBytes(2 << 20)
                .durability(Durability.PROCESS)
                .window(folder.toString())
                .drain(drain)
                .shutdownTimeout(LONG)
                .listener(events::add)
                .build();
    }

    /** Starts {@code burstlog drain} on a ring that was made, and returns once it drains it. */
    private Process startDrain(Path folder) throws IOException, InterruptedException {
        BurstLog.open(config(folder, Drain.INNER)).close();
        Process drain = new ProcessBuilder(
                        System.getProperty("burstlog.cli"),
                        "drain",
                        "--window",
                        folder.toString(),
                        folder.resolve("ring").toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("drain.txt").toFile())
                .start();
        while (!Files.readString(folder.resolve("drain.txt")).contains("this process drains ring")) {
            assertThat(drain.isAlive()).isTrue();
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return drain;
    }

    private static void append(BurstStream stream, int from) {
        for (int i = from; i < from + RECORDS; i++) {
            stream.append(("record " + i + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    /** The figures as a management client sees them; the drain's page may come a moment after what it moved. */
    private static Map<String, Object> figures(ObjectName name, List<String> attributes) throws JMException {
        Map<String, Object> figures = new TreeMap<>();
        for (String attribute : attributes) {
            figures.put(
                    name.getKeyProperty("type") + "." + attribute,
                    String.valueOf(ManagementFactory.getPlatformMBeanServer().getAttribute(name, attribute)));
        }
        return figures;
    }

    private static Map<String, Object> figuresOnce(String records, ObjectName ring, ObjectName stream)
            throws JMException, InterruptedException {
        long end = System.nanoTime() + LONG.toNanos();
        Map<String, Object> seen;
        do {
            TimeUnit.MILLISECONDS.sleep(20);
            seen = figures(ring, OF_RING);
            seen.putAll(figures(stream, OF_STREAM));
        } while (!seen.get("Stream.DrainedRecords").equals(records) && System.nanoTime() < end);
        return seen;
    }

    /** All that the application is told, without the name of the folder. */
    private List<String> tell(Path folder, Drain drain) throws Exception {
        List<String> told = new ArrayList<>();
        String ring = folder.resolve("ring").toString();
        String file = folder.resolve("main.log").toString();
        Path second = folder.resolve("second.log");
        ObjectName ringName = new ObjectName("io.burstlog:type=Ring,name=\"" + ring + "\"");
        ObjectName streamName = new ObjectName("io.burstlog:type=Stream,ring=\"" + ring + "\",file=\"" + file + "\"");
        try (BurstLog log = BurstLog.open(config(folder, drain));
                Registration ofRing = Registration.ofRing(ring, log);
                Registration ofStream = Registration.ofStream(ring, file, log.mainStream());
                BurstStream fills = log.stream(
                        "fills",
                        StreamConfig.builder().fileName(second.toString()).build())) {
            append(log.mainStream(), 0);
            append(fills, 1000);
            told.add("drained: " + log.awaitDrained(LONG));
            told.add(figuresOnce(String.valueOf(RECORDS), ringName, streamName).toString());
            Files.delete(second);
            Files.delete(folder.resolve("main.log"));
            append(log.mainStream(), RECORDS);
            told.add("drained: " + log.awaitDrained(LONG));
            told.add(figuresOnce(String.valueOf(2 * RECORDS), ringName, streamName)
                    .toString());
            told.add("file: " + log.currentFile() + ", " + fills.currentFile());
            assertThat(ofRing).isNotSameAs(ofStream);
        }
        told.add("lines: " + Files.readAllLines(folder.resolve("main.log")).size());
        events.stream()
                .filter(event -> event.severity().compareTo(BurstEvent.Severity.WARN) >= 0)
                .map(event -> event.severity() + " " + event.text())
                .sorted()
                .forEach(told::add);
        events.clear();
        try (Stream<String> lines = told.stream()) {
            return lines.map(line -> line.replace(folder.toString(), "FOLDER")).toList();
        }
    }

    @Test
    @Timeout(180)
    void figuresWaitsAndEventsAreThoseOfADrainInTheApplication() throws Exception {
        Path inner = Files.createDirectory(temporary.toRealPath().resolve("inner"));
        Path outer = Files.createDirectory(temporary.toRealPath().resolve("outer"));
        BurstLog.open(config(inner, Drain.INNER)).close();
        events.clear();
        List<String> told = tell(inner, Drain.INNER);
        Process drain = startDrain(outer);
        try {
            events.clear();
            assertThat(tell(outer, Drain.EXTERNAL)).isEqualTo(told);
        } finally {
            ChildJvm.kill(drain);
        }
        assertThat(told).anySatisfy(line -> assertThat(line).contains("Stream.DrainedRecords=" + 2 * RECORDS));
        assertThat(told).anySatisfy(line -> assertThat(line).contains("main.log was deleted by others"));
    }
}

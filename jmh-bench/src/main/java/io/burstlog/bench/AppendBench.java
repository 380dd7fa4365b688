// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench;

import io.burstlog.Binding;
import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import io.burstlog.RecordBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.config.Configurator;

/**
 * The latency of a durable append from one thread through each way in: Java over JNI, Java over JNA, the Log4j
 * appender. One record through each in turn, so that whatever else the machine does hits all alike; each has a ring and
 * a log file of its own. What C and the bare medium cost is measured by append_bench beside it.
 *
 * <pre>AppendBench DIRECTORY RECORDS BYTES [RING_JNI RING_JNA RING_LOG4J]</pre>
 *
 * Rings that are not given are files in the directory.
 */
public final class AppendBench {

    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};

    private interface Append {
        void append(int number);
    }

    private record Way(String name, Append append, Histogram nanos) {}

    private AppendBench() {}

    public static void main(String[] args) throws IOException {
        if (args.length != 3 && args.length != 6) {
            System.err.println("usage: AppendBench DIRECTORY RECORDS BYTES [RING_JNI RING_JNA RING_LOG4J]");
            System.exit(2);
        }
        Path directory = Files.createDirectories(Path.of(args[0]).toAbsolutePath());
        int records = Integer.parseInt(args[1]);
        int bytes = Integer.parseInt(args[2]);
        String[] rings = new String[3];
        for (int i = 0; i < rings.length; i++) {
            rings[i] = args.length > 3 ? args[3 + i] : directory.resolve("ring-" + i).toString();
        }
        try (BurstLog jni = open(rings[0], directory.resolve("jni.log"), Binding.JNI);
                BurstLog jna = open(rings[1], directory.resolve("jna.log"), Binding.JNA)) {
            List<Way> ways = new ArrayList<>();
            ways.add(new Way("java, jni", plain(jni, bytes), histogram()));
            ways.add(new Way("java, jna", plain(jna, bytes), histogram()));
            ways.add(new Way("log4j, jni", log4j(directory, rings[2], bytes), histogram()));
            // A whole lap first: the medium may be slower the first time, and the JIT is done by then.
            int warmUp = (int) (jni.stats().capacityBytes() / 4096) + 1;
            measure(ways, warmUp, records);
            print(ways, records, bytes);
        }
        LogManager.shutdown();
    }

    private static BurstLog open(String ring, Path file, Binding binding) {
        return BurstLog.open(BurstConfig.builder()
                .ring(ring)
                .fileName(file)
                .durability(Durability.PROCESS)
                .binding(binding)
                .build());
    }

    private static byte[] line(int bytes) {
        byte[] line = new byte[bytes];
        Random random = new Random(7);
        for (int i = 0; i < bytes; i++) {
            line[i] = (byte) ('a' + random.nextInt(26));
        }
        line[bytes - 1] = '\n';
        return line;
    }

    private static Append plain(BurstLog log, int bytes) {
        byte[] line = line(bytes);
        RecordBuffer buffer = RecordBuffer.allocate(bytes, bytes);
        return number -> {
            buffer.clear();
            buffer.ensureRemaining(bytes);
            buffer.buffer().put(line);
            buffer.buffer().putInt(0, number);
            log.append(buffer, 0);
        };
    }

    private static Append log4j(Path directory, String ring, int bytes) throws IOException {
        Path configuration = directory.resolve("log4j2.xml");
        Files.writeString(configuration, """
                <Configuration status="warn" shutdownHook="disable">
                  <Appenders>
                    <Burst name="Bench" ring="%s" fileName="%s" durability="process">
                      <PatternLayout pattern="%%m%%n"/>
                    </Burst>
                  </Appenders>
                  <Loggers><Root level="info"><AppenderRef ref="Bench"/></Root></Loggers>
                </Configuration>
                """.formatted(ring, directory.resolve("log4j.log")));
        Configurator.initialize("bench", configuration.toString());
        Logger logger = LogManager.getLogger("bench");
        String message = new String(line(bytes), 0, bytes - 1, StandardCharsets.US_ASCII);
        return number -> logger.info(message);
    }

    private static Histogram histogram() {
        return new Histogram(60_000_000_000L, 3);
    }

    private static void measure(List<Way> ways, int warmUp, int records) {
        for (int i = 0; i < warmUp + records; i++) {
            for (int turn = 0; turn < ways.size(); turn++) {
                Way way = ways.get((i + turn) % ways.size());
                long begin = System.nanoTime();
                way.append().append(i);
                long took = System.nanoTime() - begin;
                if (i >= warmUp) {
                    way.nanos().recordValue(took);
                }
            }
        }
    }

    private static void print(List<Way> ways, int records, int bytes) {
        StringBuilder head = new StringBuilder("%d records of %d bytes".formatted(records, bytes));
        for (double percentile : PERCENTILES) {
            head.append("%13s".formatted("p" + (percentile == Math.rint(percentile) ? "%.0f" : "%s")
                    .formatted(percentile)));
        }
        System.out.println(head);
        for (Way way : ways) {
            StringBuilder row = new StringBuilder("%-12s".formatted(way.name()));
            for (double percentile : PERCENTILES) {
                row.append("%10.2f us".formatted(way.nanos().getValueAtPercentile(percentile) / 1000.0));
            }
            System.out.println(row);
        }
    }
}

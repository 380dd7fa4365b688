// SPDX-License-Identifier: Apache-2.0
package examples.manytoone;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.RecordBuffer;
import io.burstlog.Segments;
import io.burstlog.StreamConfig;
import io.burstlog.kafka.KafkaShipper;
import io.burstlog.kafka.ShipperConfig;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One host: four threads log to a ring of its own, and a shipper sends their records to the topic of all hosts. The
 * host prints each record that it knows to be durable. It may be killed at any time, and started again as the next run.
 */
public final class Host {
    private static final int THREADS = 4;

    private Host() {}

    /** Arguments: folder, name, number of the run, brokers, topic, and how many records each thread logs. */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        String name = arguments[1] + " run " + arguments[2];
        int records = Integer.parseInt(arguments[5]);
        BurstConfig ring = BurstConfig.builder()
                .ring(folder.resolve("audit.ring").toString())
                .build();
        // doc: stream
        StreamConfig audit = StreamConfig.builder()
                .fileName(folder.resolve("audit.log").toString())
                .segments(Segments.in(folder.resolve("audit.segments").toString()))
                .build();
        // end
        // doc: shipper
        ShipperConfig toKafka = ShipperConfig.builder()
                .folder(folder.resolve("audit.segments").toString())
                .topic(arguments[4])
                .property("bootstrap.servers", arguments[3])
                .listener(event -> System.err.println(event.severity() + " " + event.text()))
                .build();
        // end
        try (BurstLog log = BurstLog.open(ring);
                BurstStream stream = log.stream("audit", audit);
                KafkaShipper shipper = KafkaShipper.start(toKafka)) {
            logInThreads(stream, name, records);
            log.awaitDrained(Duration.ofSeconds(60));
            awaitShipped(shipper);
        }
        System.out.println("all is in the topic");
    }

    private static void logInThreads(BurstStream stream, String name, int records) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int thread = 1; thread <= THREADS; thread++) {
            String prefix = name + " thread " + thread + " order ";
            Thread logging = new Thread(() -> log(stream, prefix, records));
            logging.start();
            threads.add(logging);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void log(BurstStream stream, String prefix, int records) {
        RecordBuffer record = RecordBuffer.allocate(128, 1024);
        for (int order = 1; order <= records; order++) {
            String text = prefix + order;
            Instant now = Instant.now();
            record.clear().put(ByteBuffer.wrap(text.getBytes(UTF_8)));
            stream.append(record, TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano());
            System.out.println("durable: " + text);
        }
    }

    private static void awaitShipped(KafkaShipper shipper) throws InterruptedException {
        while (shipper.stats().lagRecords() > 0 || shipper.stats().shippedNumber() == 0) {
            if (shipper.awaitEnd(Duration.ofMillis(50))) {
                throw new IllegalStateException(shipper.failure());
            }
        }
    }
}

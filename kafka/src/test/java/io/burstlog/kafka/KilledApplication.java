// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.ConsumedRecords;
import io.burstlog.Durability;
import io.burstlog.RecordBuffer;
import io.burstlog.Segments;
import io.burstlog.StreamConfig;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that logs "HOST RUN THREAD ORDER" with four threads until its standard input has a byte, and goes on until
 * that input ends; it may be killed at any time. It prints thread and order of each record that is durable, and closes
 * its standard output behind the last one. Arguments: the folder of ring and log file, that of the segments, name, run;
 * and, for a shipper in the process, the file of its properties and the topic. Such a shipper chooses the partition by
 * the thread.
 */
final class KilledApplication {

    static final int THREADS = 4;
    static final int BYTES_SAID = 2 * Integer.BYTES;

    private static final int LONGEST_PAUSE_NANOS = 8_000_000;
    private static final FileOutputStream SAID = new FileOutputStream(FileDescriptor.out);
    private static final AtomicBoolean IS_SILENT = new AtomicBoolean();
    private static final AtomicBoolean IS_ENDING = new AtomicBoolean();

    private KilledApplication() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        String prefix = arguments[2] + ' ' + arguments[3] + ' ';
        BurstConfig ring = BurstConfig.builder()
                .ring(folder.resolve("killed.ring").toString())
                .ringBytes(8 << 20)
                .durability(Durability.PROCESS)
                .listener(event -> System.err.println(event.time() + " " + event.severity() + " " + event.text()))
                .build();
        StreamConfig stream = StreamConfig.builder()
                .fileName(folder.resolve("killed.log").toString())
                .blockTimeout(Duration.ofMinutes(5))
                .segments(Segments.in(arguments[1]).bytes(1 << 18))
                .build();
        try (BurstLog log = BurstLog.open(ring);
                BurstStream killed = log.stream("killed", stream)) {
            List<Thread> logging = new ArrayList<>();
            for (int thread = 1; thread <= THREADS; thread++) {
                int number = thread;
                logging.add(daemon(() -> log(killed, prefix, number)));
            }
            if (arguments.length > 4) {
                ShipperConfig shipper = shipper(arguments[1], Path.of(arguments[4]), arguments[5]);
                daemon(() -> shipForEver(shipper));
            }
            if (System.in.read() >= 0) {
                IS_SILENT.set(true);
                for (Thread each : logging) {
                    each.join();
                }
                SAID.close();
                while (System.in.read() >= 0) {}
            }
            IS_ENDING.set(true);
        }
        System.exit(0);
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void log(BurstStream stream, String prefix, int thread) {
        RecordBuffer record = RecordBuffer.allocate(128, 128);
        byte[] said = new byte[BYTES_SAID];
        try {
            for (int order = 1; !IS_SILENT.get(); order++) {
                record.clear().put(ByteBuffer.wrap((prefix + thread + ' ' + order).getBytes(UTF_8)));
                stream.append(record, System.currentTimeMillis() * 1_000_000);
                ByteBuffer.wrap(said).putInt(thread).putInt(order);
                SAID.write(said);
                LockSupport.parkNanos((order * 7919L + thread) % LONGEST_PAUSE_NANOS);
            }
        } catch (BurstException | IOException failed) {
            if (!IS_ENDING.get()) {
                failed.printStackTrace();
                Runtime.getRuntime().halt(5);
            }
        }
    }

    private static ShipperConfig shipper(String folder, Path file, String topic) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        }
        ShipperConfig.Builder config = ShipperConfig.builder()
                .folder(folder)
                .topic(topic)
                .key(KilledApplication::threadOf)
                .listener(event -> System.err.println(event.time() + " " + event.severity() + " " + event.text()));
        properties.stringPropertyNames().forEach(name -> config.property(name, properties.getProperty(name)));
        return config.build();
    }

    /** The thread in the record's text. */
    private static byte[] threadOf(ConsumedRecords record) {
        byte[] text = new byte[record.length()];
        record.data().get(text);
        return new String(text, UTF_8).split(" ")[2].getBytes(UTF_8);
    }

    /** A shipper that was fenced, or stood still, ends: another one begins. */
    private static void shipForEver(ShipperConfig config) {
        while (!IS_ENDING.get()) {
            try (KafkaShipper shipper = KafkaShipper.start(config)) {
                while (!shipper.awaitEnd(Duration.ofDays(1))) {}
            } catch (BurstException busy) {
                System.err.println(busy.getMessage());
                LockSupport.parkNanos(50_000_000);
            } catch (InterruptedException nobodyDoes) {
                throw new IllegalStateException(nobodyDoes);
            }
        }
    }
}

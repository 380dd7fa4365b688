// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.Binding;
import io.burstlog.BurstLog;
import io.burstlog.RecordBuffer;
import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Progress;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.subject.BurstTarget;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Durable records a second. {@code offer} from one thread: until the last record is durable in the ring, and in the log
 * file. {@code append} from 1, 2, 4 and 16 threads. All take turns, and each block gives one value.
 */
public final class ThroughputStudy {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final String THREADS = "1,2,4,16";

    private ThroughputStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        Study study = new Study(
                "throughput",
                "throughput",
                options.text("title", "Durable throughput"),
                Environment.describe(media.directory(), media.devices()));
        int blocks = options.number("blocks", 7);
        int millis = options.number("millis", 200);
        int offers = options.number("offers", 1_000_000);
        study.with("bytes", media.bytes()).with("millisOfBlock", millis).with("offersOfBlock", offers);
        List<String> all = options.list("media", "ssd,device,mapped");
        Progress progress = new Progress("throughput");
        for (int i = 0; i < all.size(); i++) {
            String medium = all.get(i);
            Progress.Part part = progress.part(i, all.size());
            try {
                measure(medium, media, options.list("threads", THREADS), blocks, millis, offers, part, study);
            } catch (Media.NotPossible reason) {
                study.skip("throughput@" + medium, reason.getMessage());
            }
        }
        media.clear();
        study.write(options.path("out", "target/bench"));
    }

    private static void measure(
            String medium,
            Media media,
            List<String> threads,
            int blocks,
            int millis,
            int offers,
            Progress.Part progress,
            Study study)
            throws Exception {
        Media.Ring ring = media.ring(medium, "throughput");
        Map<String, List<Double>> rates = new LinkedHashMap<>();
        try (BurstLog log = BurstTarget.open(
                ring.path(), ring.io(), media.file("throughput-" + medium + ".log"), Binding.JNI, Duration.ZERO)) {
            for (int block = -1; block < blocks; block++) {
                Map<String, List<Double>> into = block < 0 ? new LinkedHashMap<>() : rates;
                for (String number : threads) {
                    add(
                            into,
                            "append, " + number + (number.equals("1") ? " thread" : " threads"),
                            append(log, Integer.parseInt(number), millis, media.bytes()));
                    log.awaitDrained(LONG);
                }
                long begin = System.nanoTime();
                log.awaitDurable(offerAll(log, offers, media.bytes()), LONG);
                add(into, "offer, durable in the ring", perSecond(offers, begin));
                log.awaitDrained(LONG);
                add(into, "offer, durable in the log file", perSecond(offers, begin));
                progress.is((block + 2.0) / (blocks + 1));
            }
        }
        rates.forEach((what, perSecond) -> {
            System.out.printf(
                    "throughput   %-8s %-32s records/s of blocks: %s%n",
                    medium, what, perSecond.stream().map("%,.0f"::formatted).toList());
            study.add(new LinkedHashMap<>(Map.of("name", what, "medium", medium, "perSecond", perSecond)));
        });
    }

    private static double perSecond(long records, long beginNanos) {
        return records * 1e9 / (System.nanoTime() - beginNanos);
    }

    private static void add(Map<String, List<Double>> rates, String what, double perSecond) {
        rates.computeIfAbsent(what, first -> new ArrayList<>()).add(perSecond);
    }

    private static long offerAll(BurstLog log, int records, int bytes) {
        byte[] line = Message.line(bytes);
        RecordBuffer record = RecordBuffer.allocate(bytes, bytes);
        record.ensureRemaining(bytes).put(line);
        long last = 0;
        for (int i = 0; i < records; i++) {
            while ((last = log.offer(record, 0)) < 0) {
                Thread.onSpinWait();
            }
        }
        return last;
    }

    /** Records a second of all threads together, which append at the same time for so long. */
    private static double append(BurstLog log, int threads, int millis, int bytes) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(threads + 1);
        AtomicBoolean over = new AtomicBoolean();
        LongAdder records = new LongAdder();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(new Thread(() -> {
                RecordBuffer record = RecordBuffer.allocate(bytes, bytes);
                record.ensureRemaining(bytes).put(Message.line(bytes));
                ready.countDown();
                await(ready);
                long own = 0;
                for (; !over.get(); own++) {
                    log.append(record, 0);
                }
                records.add(own);
            }));
        }
        all.forEach(Thread::start);
        ready.countDown();
        await(ready);
        long begin = System.nanoTime();
        Thread.sleep(millis);
        over.set(true);
        for (Thread thread : all) {
            thread.join();
        }
        return perSecond(records.sum(), begin);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.Binding;
import io.burstlog.BurstLog;
import io.burstlog.RecordBuffer;
import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Progress;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.Turns;
import io.burstlog.bench.subject.BurstTarget;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Message;
import io.burstlog.bench.subject.Zram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Durable records a second, by 1, 2, 4 and 16 threads: {@code append}; and {@code offer} until the last record is
 * durable in the ring, and in the log file. All take turns, and each block gives one value. All rings have the same
 * size: a larger one has the drain sync less often.
 */
public final class ThroughputStudy {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final String THREADS = "1,2,4,16";

    /** One line of the table, or two. */
    private interface Case {
        void measure(BurstLog log) throws InterruptedException;
    }

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
        List<Case> cases = new ArrayList<>();
        for (String number : threads) {
            cases.add(log -> {
                double perSecond = append(log, Integer.parseInt(number), millis, media.bytes());
                add(rates, "append, " + byThreads(number), perSecond);
                log.awaitDrained(LONG);
            });
        }
        for (String number : threads) {
            cases.add(log ->
                    offer(log, Integer.parseInt(number), offers, media.bytes(), "offer, " + byThreads(number), rates));
        }
        for (int block = 0; block <= blocks; block++) {
            Path file = media.file("throughput-" + medium + "-" + block + ".log");
            try (BurstLog log = BurstTarget.open(
                    ring.path(), ring.io(), file, Binding.JNI, Duration.ZERO, isFile(medium) ? Zram.RING_BYTES : 0)) {
                for (Case each : Turns.of(cases, block)) {
                    each.measure(log);
                }
            }
            Files.delete(file); // the next block's file takes its memory: all blocks find the same
            if (block == 0) { // warm-up: what is kept of it is their order
                rates.values().forEach(List::clear);
            }
            progress.is((block + 1.0) / (blocks + 1));
        }
        rates.forEach((what, perSecond) -> {
            System.out.printf(
                    "throughput   %-8s %-44s records/s of blocks: %s%n",
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

    private static boolean isFile(String medium) {
        return medium.equals("ssd") || medium.equals("mapped");
    }

    private static String byThreads(String number) {
        return number + (number.equals("1") ? " thread" : " threads");
    }

    /** The threads together offer so many. A thread that finds the ring full gives its processor to others. */
    private static void offer(
            BurstLog log, int threads, int records, int bytes, String name, Map<String, List<Double>> into)
            throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(threads + 1);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(byThread(ready, bytes, record -> {
                for (int left = records / threads; left > 0; left--) {
                    while (log.offer(record, 0) < 0) {
                        Thread.yield();
                    }
                }
            }));
        }
        long begin = begin(all, ready);
        for (Thread thread : all) {
            thread.join();
        }
        log.flush();
        add(into, name + ", durable in the ring", perSecond((long) records / threads * threads, begin));
        log.awaitDrained(LONG);
        add(into, name + ", durable in the log file", perSecond((long) records / threads * threads, begin));
    }

    private static Thread byThread(CountDownLatch ready, int bytes, Consumer<RecordBuffer> writes) {
        return new Thread(() -> {
            RecordBuffer record = RecordBuffer.allocate(bytes, bytes);
            record.ensureRemaining(bytes).put(Message.line(bytes));
            ready.countDown();
            await(ready);
            writes.accept(record);
        });
    }

    /** Returns the time at which they begin together. */
    private static long begin(List<Thread> all, CountDownLatch ready) {
        all.forEach(Thread::start);
        ready.countDown();
        await(ready);
        return System.nanoTime();
    }

    /** Records a second of all threads together, which append at the same time for so long. */
    private static double append(BurstLog log, int threads, int millis, int bytes) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(threads + 1);
        AtomicBoolean over = new AtomicBoolean();
        LongAdder records = new LongAdder();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(byThread(ready, bytes, record -> {
                long own = 0;
                for (; !over.get(); own++) {
                    log.append(record, 0);
                }
                records.add(own);
            }));
        }
        long begin = begin(all, ready);
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

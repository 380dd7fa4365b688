// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.Binding;
import io.burstlog.BurstLog;
import io.burstlog.RecordBuffer;
import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.subject.BurstTarget;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Durable records a second: {@code offer} from one thread, up to the moment when the last record is durable in the
 * ring, and in the log file; and {@code append} from 1, 2, 4 and 16 threads. In turns; each block gives one value.
 */
public final class ThroughputStudy {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final String THREADS = "1,2,4,16";

    private ThroughputStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        Study study = new Study("throughput", "throughput", options.text("title", "Durable throughput"),
                Environment.describe(media.directory(), media.devices()));
        int blocks = options.number("blocks", 7);
        int appends = options.number("appends", 2_000);
        int offers = options.number("offers", 1_000_000);
        study.with("bytes", media.bytes()).with("appendsOfBlock", appends).with("offersOfBlock", offers);
        for (String medium : options.list("media", "ssd,device,mapped")) {
            try {
                measure(medium, media, options.list("threads", THREADS), blocks, appends, offers, study);
            } catch (Media.NotPossible reason) {
                study.skip("throughput@" + medium, reason.getMessage());
            }
        }
        media.clear();
        study.write(options.path("out", "target/bench"));
    }

    private static void measure(String medium, Media media, List<String> threads, int blocks, int appends, int offers,
            Study study) throws Exception {
        Media.Ring ring = media.ring(medium, "throughput");
        Map<String, List<Double>> rates = new LinkedHashMap<>();
        try (BurstLog log = BurstTarget.open(
                ring.path(), ring.io(), media.file("throughput-" + medium + ".log"), Binding.JNI, Duration.ZERO)) {
            for (int block = -1; block < blocks; block++) {
                Map<String, List<Double>> into = block < 0 ? new LinkedHashMap<>() : rates;
                for (String number : threads) {
                    long nanos = append(log, Integer.parseInt(number), appends, media.bytes());
                    add(into, "append, " + number + (number.equals("1") ? " thread" : " threads"), appends, nanos);
                    log.awaitDrained(LONG);
                }
                long begin = System.nanoTime();
                log.awaitDurable(offerAll(log, offers, media.bytes()), LONG);
                add(into, "offer, durable in the ring", offers, System.nanoTime() - begin);
                log.awaitDrained(LONG);
                add(into, "offer, durable in the log file", offers, System.nanoTime() - begin);
            }
        }
        rates.forEach((what, perSecond) -> {
            System.out.printf("throughput   %-8s %-32s records/s of blocks: %s%n", medium, what,
                    perSecond.stream().map("%,.0f"::formatted).toList());
            study.add(new LinkedHashMap<>(Map.of("name", what, "medium", medium, "perSecond", perSecond)));
        });
    }

    private static void add(Map<String, List<Double>> rates, String what, int records, long nanos) {
        rates.computeIfAbsent(what, first -> new ArrayList<>()).add(records * 1e9 / nanos);
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

    /** The time until all threads are done. */
    private static long append(BurstLog log, int threads, int records, int bytes) throws InterruptedException {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(new Thread(() -> {
                RecordBuffer record = RecordBuffer.allocate(bytes, bytes);
                record.ensureRemaining(bytes).put(Message.line(bytes));
                for (int number = 0; number < records / threads; number++) {
                    log.append(record, 0);
                }
            }));
        }
        long begin = System.nanoTime();
        all.forEach(Thread::start);
        for (Thread thread : all) {
            thread.join();
        }
        return System.nanoTime() - begin;
    }
}

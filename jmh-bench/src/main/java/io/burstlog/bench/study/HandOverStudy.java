// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.handover.HandOver;
import io.burstlog.bench.handover.HandOvers;
import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Progress;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.TargetResult;
import io.burstlog.bench.harness.Turns;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;

/**
 * The cost of a hand-over for the thread that has the message, in bursts that fit the queue; all ways take turns. One
 * burst is timed as a whole, for the average; the next is timed message by message, for the percentiles.
 */
public final class HandOverStudy {

    private HandOverStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        Study study = new Study(
                options.text("study", "hand-over"),
                "hand-over",
                options.text("title", "Hand-over study"),
                Environment.describe(media.directory(), media.devices()));
        int burst = options.number("burst", 20_000);
        int rounds = options.number("rounds", 50);
        int warmUp = options.number("warm-up-rounds", 10);
        study.with("bytes", media.bytes()).with("burst", burst).with("rounds", rounds);
        List<String> all = options.list("producers", "1,4");
        Progress progress = new Progress("hand-over");
        for (int i = 0; i < all.size(); i++) {
            String producers = all.get(i);
            Progress.Part part = progress.part(i, all.size());
            List<Way> ways = new ArrayList<>();
            for (String name : options.list("ways", HandOvers.NAMES)) {
                open(name, Integer.parseInt(producers), media, study, ways);
            }
            for (int round = -warmUp; round < rounds; round++) {
                for (Way way : Turns.of(ways, round + warmUp)) {
                    way.burst(burst, round >= 0);
                }
                part.is((round + warmUp + 1.0) / (rounds + warmUp));
            }
            for (Way way : ways) {
                study.add(way.toJson());
                way.handOver.close();
            }
        }
        media.clear();
        study.write(options.path("out", "target/bench"));
    }

    private static void open(String name, int producers, Media media, Study study, List<Way> ways) {
        String title = name + ", " + producers + (producers == 1 ? " producer" : " producers");
        try {
            HandOver handOver = HandOvers.make(name, media.bytes(), producers, media);
            if (handOver.producers() < producers) {
                handOver.close(); // a way for one producer
                return;
            }
            ways.add(new Way(title, handOver, producers, Message.line(media.bytes())));
        } catch (Media.NotPossible reason) {
            study.skip(title, reason.getMessage());
        }
    }

    private static final class Way {
        private final String title;
        private final HandOver handOver;
        private final int producers;
        private final byte[] message;
        private final TargetResult single;
        private final List<Double> averages = new ArrayList<>();

        Way(String title, HandOver handOver, int producers, byte[] message) {
            this.title = title;
            this.handOver = handOver;
            this.producers = producers;
            this.message = message;
            single = new TargetResult(title, "");
        }

        void burst(int messages, boolean counts) throws Exception {
            long[] whole = new long[producers];
            byThreads(producer -> whole[producer] = timeWhole(messages / producers));
            handOver.awaitEmpty();
            long[][] each = new long[producers][messages / producers];
            byThreads(producer -> timeEach(each[producer]));
            handOver.awaitEmpty();
            if (counts) {
                averages.add(Arrays.stream(whole).average().orElseThrow() / (messages / producers));
                single.add(Arrays.stream(each).flatMapToLong(Arrays::stream).toArray(), 0);
            }
        }

        private long timeWhole(int messages) {
            long begin = System.nanoTime();
            for (int i = 0; i < messages; i++) {
                handOver.offer(message);
            }
            return System.nanoTime() - begin;
        }

        private void timeEach(long[] nanos) {
            long begin = System.nanoTime();
            for (int i = 0; i < nanos.length; i++) {
                handOver.offer(message);
                long end = System.nanoTime();
                nanos[i] = end - begin;
                begin = end;
            }
        }

        private interface Producer {
            void produce(int number);
        }

        /** They begin together. */
        private void byThreads(Producer producer) throws Exception {
            if (producers == 1) {
                producer.produce(0);
                return;
            }
            CyclicBarrier start = new CyclicBarrier(producers);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < producers; i++) {
                int number = i;
                threads.add(new Thread(() -> {
                    try {
                        handOver.prepare();
                        start.await();
                    } catch (Exception broken) {
                        throw new IllegalStateException(broken);
                    }
                    producer.produce(number);
                }));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
        }

        Map<String, Object> toJson() {
            Map<String, Object> json = new LinkedHashMap<>(single.toJson());
            json.remove("allocatedBytesPerMessage");
            json.put("producers", producers);
            json.put("averagesOfWholeBursts", averages);
            Figures.print("hand-over", title, single.histogram());
            System.out.printf(
                    "hand-over    %-26s whole bursts, ns a message: median %.1f%n",
                    title,
                    averages.stream()
                            .sorted()
                            .skip(averages.size() / 2)
                            .findFirst()
                            .orElse(Double.NaN));
            return json;
        }
    }
}

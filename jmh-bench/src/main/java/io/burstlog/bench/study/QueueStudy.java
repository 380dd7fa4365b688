// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.handover.HandOver;
import io.burstlog.bench.handover.HandOvers;
import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.OpenLoop;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Progress;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.TargetResult;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Message;
import io.burstlog.bench.subject.Picologger;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Some four million messages to one queue after the other, each timed, as fast as the thread can. If a ring is behind
 * the queue, it also measures how long each message was not durable, then and at a constant rate.
 */
public final class QueueStudy {

    private static final String PICOLOGGER = "picologger";

    private QueueStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        Study study = new Study(
                "queue",
                "queue",
                "Queues, message by message",
                Environment.describe(media.directory(), media.devices()));
        int messages = options.number("messages", 4_012_000);
        int rate = options.number("rate", 400_000);
        study.with("bytes", media.bytes()).with("messagesOfWay", messages).with("rate", rate);
        List<String> ways = options.list("ways", HandOvers.QUEUES);
        Progress progress = new Progress("queue");
        for (int i = 0; i < ways.size(); i++) {
            try {
                if (ways.get(i).equals(PICOLOGGER)) {
                    study.add(picologger(media, messages));
                } else {
                    try (HandOver way = HandOvers.make(ways.get(i), media.bytes(), 1, media)) {
                        measure(ways.get(i), way, messages, rate, media.bytes(), study);
                    }
                }
            } catch (Media.NotPossible reason) {
                study.skip(ways.get(i), reason.getMessage());
            }
            progress.is((i + 1.0) / ways.size());
        }
        media.clear();
        study.write(options.path("out", "target/bench"));
    }

    private static void measure(String name, HandOver way, int messages, int rate, int bytes, Study study) {
        byte[] message = Message.line(bytes);
        way.prepare();
        asFastAsTheyGo(way, message, messages / 10, TargetResult.emptyHistogram());
        way.awaitEmpty();

        Histogram lags = lags(way);
        Histogram submits = TargetResult.emptyHistogram();
        long begin = System.nanoTime();
        asFastAsTheyGo(way, message, messages, submits);
        double submitted = (System.nanoTime() - begin) / 1e9;
        way.awaitDurable();
        double durable = (System.nanoTime() - begin) / 1e9;
        Map<String, Object> json = json(name, submits, since(lags, way));
        json.put("perSecond", messages / submitted);
        if (json.containsKey("lag")) {
            json.put("durablePerSecond", messages / durable);
        }
        study.add(json);
        way.awaitEmpty();
        if (json.containsKey("lag")) {
            atRate(name, way, message, Math.min(messages, rate), rate, study);
            way.awaitEmpty();
        }
    }

    private static Map<String, Object> picologger(Media media, int messages) throws IOException, Media.NotPossible {
        Picologger measured = Picologger.run(media.bytes(), messages, media);
        Map<String, Object> json = json(PICOLOGGER, measured.submits(), measured.lags());
        json.put("perSecond", measured.perSecond());
        json.put("durablePerSecond", measured.onDiskPerSecond());
        return json;
    }

    private static void asFastAsTheyGo(HandOver way, byte[] message, int messages, Histogram nanos) {
        for (int i = 0; i < messages; i++) {
            long begin = System.nanoTime();
            way.offer(message);
            nanos.recordValue(System.nanoTime() - begin);
        }
    }

    /** One second of it at most. */
    private static void atRate(String name, HandOver way, byte[] message, int messages, int rate, Study study) {
        Histogram lags = lags(way);
        Histogram response = TargetResult.emptyHistogram();
        OpenLoop.Clock clock = OpenLoop.SPINNING;
        long start = clock.nanos();
        for (int i = 0; i < messages; i++) {
            long intended = start + (long) (i * 1e9 / rate);
            clock.awaitNanos(intended);
            way.offer(message);
            response.recordValue(clock.nanos() - intended);
        }
        double seconds = (clock.nanos() - start) / 1e9;
        way.awaitDurable();
        Map<String, Object> json = json("%s, open loop".formatted(name), response, since(lags, way));
        json.put("perSecond", messages / seconds);
        study.add(json);
    }

    private static Histogram lags(HandOver way) {
        Histogram lags = TargetResult.emptyHistogram();
        way.addLags(lags);
        return lags;
    }

    private static Histogram since(Histogram before, HandOver way) {
        Histogram lags = lags(way);
        lags.subtract(before);
        return lags;
    }

    private static Map<String, Object> json(String name, Histogram nanos, Histogram lags) {
        Map<String, Object> json = new LinkedHashMap<>(TargetResult.spreadOf(name, nanos));
        Figures.print("queue", name, nanos);
        if (lags.getTotalCount() > 0) {
            json.put("lag", TargetResult.spreadOf(name, lags));
            Figures.print("queue", name + ", durable after", lags);
        }
        return json;
    }
}

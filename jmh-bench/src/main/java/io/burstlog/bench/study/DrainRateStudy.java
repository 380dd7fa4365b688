// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Progress;
import io.burstlog.bench.harness.Ratios;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.subject.DrainedText;
import io.burstlog.bench.subject.Media;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The drain's speed in writing text, against a bare sequential write of the same bytes to the same disk, synced at its
 * end. The drain writes into one file; into files that are rolled; into such files while they are compressed; and
 * records as they are into segments, while their text goes to memory (there the bare write has as much text in memory,
 * too). A block is the ring's content when its drain is told to begin. It ends when all of it is in its files and
 * synced.
 *
 * <p>The speed of a shared disk changes within a second by more than the measured difference. So blocks are short and
 * many, each is compared with the bare ones right before and behind it, and the median counts. The processors' time
 * does not depend on the disk: it is shown, too.
 */
public final class DrainRateStudy {

    private static final double MEGA = 1e6;

    private DrainRateStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        Study study = new Study(
                options.text("study", "drain-rate"),
                "throughput",
                options.text("title", "Text that the drain writes"),
                Environment.describe(media.directory(), media.devices()));
        int megabytes = options.number("megabytes", 64);
        int blocks = options.number("blocks", 40);
        study.with("bytes", media.bytes()).with("megabytesOfBlock", megabytes);
        Map<String, Measured> measured = new LinkedHashMap<>();
        DrainedText.WAYS.forEach(way -> measured.put(way, new Measured()));
        try (DrainedText text = new DrainedText(media, megabytes << 20)) {
            List<String> turns = new ArrayList<>(DrainedText.DRAINS);
            Random random = new Random(1);
            Progress progress = new Progress("drain-rate");
            for (int block = -1; block < blocks; block++) {
                Collections.shuffle(turns, random);
                for (String way : turns) {
                    String bareWay = DrainedText.bareOf(way);
                    DrainedText.Block before = text.write(bareWay);
                    DrainedText.Block drained = text.write(way);
                    DrainedText.Block after = text.write(bareWay);
                    if (block >= 0) {
                        double bare = (before.seconds() + after.seconds()) / 2 / after.bytes();
                        measured.get(way).add(drained, bare);
                        measured.get(bareWay).add(after, after.seconds() / after.bytes());
                    }
                }
                progress.is((block + 2.0) / (blocks + 1));
            }
        }
        media.clear();
        measured.forEach((way, all) -> all.tell(study, way));
        study.write(options.path("out", "target/bench"));
    }

    /** The blocks of one way. */
    private static final class Measured {

        private final List<Double> perSecond = new ArrayList<>();
        private final List<Double> ofBare = new ArrayList<>();
        private double processorSeconds;
        private long bytes;

        void add(DrainedText.Block block, double bareSecondsOfByte) {
            perSecond.add(block.bytes() / block.seconds());
            ofBare.add(bareSecondsOfByte * block.bytes() / block.seconds());
            processorSeconds += block.processorSeconds();
            bytes += block.bytes();
        }

        void tell(Study study, String way) {
            double secondsOfGigabyte = processorSeconds / bytes * 1e9;
            System.out.printf(
                    "drain-rate   %-26s median %,5.0f MB/s; over the bare writes around it %s; processors %.2f s a GB%n",
                    way, ratios(perSecond).median() / MEGA, Figures.text(ratios(ofBare)), secondsOfGigabyte);
            study.add(new LinkedHashMap<>(Map.of(
                    "name", way,
                    "medium", "mapped",
                    "perSecond", perSecond,
                    "ofBare", ofBare,
                    "processorSecondsOfGigabyte", secondsOfGigabyte)));
        }

        private static Ratios ratios(List<Double> values) {
            return Ratios.of(values.stream().mapToDouble(each -> each).toArray());
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Options;
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
 * How fast the drain writes text, against a bare sequential write of the same bytes to the same disk, synced at its
 * end: into one file, into files that are rolled, and while these are compressed. In turns; a block is what the ring
 * holds when its drain is told to begin, and ends when all of it is in its files and synced.
 */
public final class DrainRateStudy {

    private static final double MEGA = 1e6;

    private DrainRateStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        Study study = new Study(
                "drain-rate",
                "throughput",
                options.text("title", "Text that the drain writes"),
                Environment.describe(media.directory(), media.devices()));
        int megabytes = options.number("megabytes", 128);
        int blocks = options.number("blocks", 15);
        study.with("bytes", media.bytes()).with("megabytesOfBlock", megabytes);
        Map<String, List<Double>> rates = new LinkedHashMap<>();
        try (DrainedText text = new DrainedText(media, megabytes << 20)) {
            // None has the same one before it each time: what that leaves to the disk would be its own.
            List<String> turns = new ArrayList<>(DrainedText.WAYS);
            Random random = new Random(1);
            for (int block = -1; block < blocks; block++) {
                Collections.shuffle(turns, random);
                for (String way : turns) {
                    double seconds = text.write(way);
                    if (block >= 0) {
                        rates.computeIfAbsent(way, first -> new ArrayList<>()).add((megabytes << 20) / seconds);
                    }
                }
            }
        }
        media.clear();
        for (String way : DrainedText.WAYS) {
            List<Double> perSecond = rates.get(way);
            double[] ratios = new double[perSecond.size()];
            for (int i = 0; i < ratios.length; i++) {
                ratios[i] = perSecond.get(i) / rates.get(DrainedText.BARE).get(i);
            }
            Ratios rate = Ratios.of(perSecond.stream().mapToDouble(each -> each).toArray());
            System.out.printf(
                    "drain-rate   %-26s median %,5.0f MB/s; over the bare write of the same round %s%n",
                    way, rate.median() / MEGA, Figures.text(Ratios.of(ratios)));
            study.add(new LinkedHashMap<>(Map.of("name", way, "medium", "mapped", "perSecond", perSecond)));
        }
        study.write(options.path("out", "target/bench"));
    }
}

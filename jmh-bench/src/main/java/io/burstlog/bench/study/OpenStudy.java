// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import com.sun.nio.file.ExtendedOpenOption;
import io.burstlog.Binding;
import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import io.burstlog.RecordBuffer;
import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Progress;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.Turns;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Message;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The time of opening a full ring, against reading it raw, in turns. The log file is on a file system that is too small
 * ({@code --full}), so that nothing can be drained and each open finds the ring full.
 */
public final class OpenStudy {

    private static final int READ_BYTES = 1 << 20;

    private OpenStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        Study study = new Study(
                "open",
                "open",
                options.text("title", "Open of a full ring"),
                Environment.describe(media.directory(), media.devices()));
        String full = options.text("full", "");
        long ringBytes = options.number("megabytes", 1024) * (1L << 20);
        study.with("ringBytes", ringBytes);
        if (full.isEmpty()) {
            study.skip("open", "it needs a small file system that root mounts for the log file");
        } else {
            Path ring = media.file("open.ring");
            BurstConfig config = BurstConfig.builder()
                    .ring(ring.toString())
                    .fileName(full + "/open.log")
                    .ringBytes(ringBytes)
                    .durability(Durability.PROCESS)
                    .binding(Binding.JNI)
                    .build();
            fill(config, ringBytes, media.bytes());
            List<Double> opens = new ArrayList<>();
            List<Double> reads = new ArrayList<>();
            int blocks = options.number("blocks", 5);
            Progress progress = new Progress("open");
            for (int block = 0; block < blocks; block++) {
                for (boolean isOpen : Turns.of(List.of(false, true), block)) {
                    if (isOpen) {
                        opens.add(open(config, ringBytes));
                    } else {
                        reads.add(readRaw(ring));
                    }
                }
                progress.is((block + 1.0) / blocks);
            }
            study.add(Map.of("name", "open", "millis", opens));
            study.add(Map.of("name", "raw read", "millis", reads));
            System.out.println("open         milliseconds of opens: " + opens + ", of raw reads: " + reads);
        }
        study.write(options.path("out", "target/bench"));
    }

    /** Fills the ring until no record fits. */
    private static void fill(BurstConfig config, long ringBytes, int bytes) throws InterruptedException {
        RecordBuffer record = RecordBuffer.allocate(bytes, bytes);
        record.ensureRemaining(bytes).put(Message.line(bytes));
        try (BurstLog log = BurstLog.open(config)) {
            int refusedInARow = 0;
            while (refusedInARow < 50) {
                if (log.offer(record, 0) >= 0) {
                    refusedInARow = 0;
                } else {
                    refusedInARow++;
                    Thread.sleep(1);
                }
            }
            log.flush();
            requireFull(log, ringBytes);
        } catch (BurstException notDrained) {
            System.out.println("open         the close after filling: " + notDrained.getMessage());
        }
    }

    private static double open(BurstConfig config, long ringBytes) {
        long begin = System.nanoTime();
        BurstLog log = BurstLog.open(config);
        double millis = (System.nanoTime() - begin) / 1e6;
        try (log) {
            requireFull(log, ringBytes);
        }
        return millis;
    }

    private static void requireFull(BurstLog log, long ringBytes) {
        long used = log.stats().usedBytes();
        if (used < ringBytes / 10 * 9) {
            throw new IllegalStateException("The ring of " + ringBytes + " bytes is to be full, but " + used
                    + " bytes are in use: the file system of --full is not small enough.");
        }
    }

    private static double readRaw(Path ring) throws IOException {
        ByteBuffer buffer =
                ByteBuffer.allocateDirect(2 * READ_BYTES).alignedSlice(4096).limit(READ_BYTES);
        long begin = System.nanoTime();
        try (FileChannel channel = FileChannel.open(ring, StandardOpenOption.READ, ExtendedOpenOption.DIRECT)) {
            while (channel.read(buffer.clear().limit(READ_BYTES)) > 0) {
                continue;
            }
        }
        return (System.nanoTime() - begin) / 1e6;
    }
}

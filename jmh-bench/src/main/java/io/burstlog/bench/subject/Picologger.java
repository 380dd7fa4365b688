// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import io.burstlog.bench.harness.TargetResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;

/**
 * The crate picologger: a child process, which cargo builds, gives it messages as fast as it can, and times them.
 *
 * @param submits of each message
 * @param lags until the crate says that a message has reached the disk, of one in 64
 */
public record Picologger(double perSecond, double onDiskPerSecond, Histogram submits, Histogram lags) {

    private static final int BYTES = 99;
    private static final String PROGRAM = "picologger_bench";

    public static Picologger run(int bytes, int messages, Media media) throws IOException, Media.NotPossible {
        if (bytes != BYTES) {
            throw new Media.NotPossible("its program has messages of " + BYTES + " bytes");
        }
        requireCargo();
        Path crate = Files.createDirectories(media.file("picologger"));
        unpack("Cargo.toml", crate);
        unpack(PROGRAM + ".rs", crate);
        Programs.run(
                "cargo",
                "build",
                "--release",
                "--quiet",
                "--manifest-path",
                crate.resolve("Cargo.toml").toString(),
                "--target-dir",
                crate.resolve("target").toString());
        Path log = media.file("picologger.log");
        Path results = media.file("picologger.results");
        Programs.run(
                crate.resolve("target/release").resolve(PROGRAM).toString(),
                log.toString(),
                Integer.toString(messages),
                results.toString());
        LongBuffer values = ByteBuffer.wrap(Files.readAllBytes(results))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer();
        Files.delete(log);
        double perSecond = messages * 1e9 / values.get();
        double onDiskPerSecond = messages * 1e9 / values.get();
        Histogram submits = histogram(values, messages);
        return new Picologger(perSecond, onDiskPerSecond, submits, histogram(values, values.remaining()));
    }

    private static void requireCargo() throws Media.NotPossible {
        try {
            Programs.run("cargo", "--version");
        } catch (IOException missing) {
            throw new Media.NotPossible("cargo, which builds it, is not installed", missing);
        }
    }

    private static void unpack(String name, Path folder) throws IOException {
        try (InputStream packed = Picologger.class.getResourceAsStream("/rust/" + name)) {
            Files.write(folder.resolve(name), packed.readAllBytes());
        }
    }

    private static Histogram histogram(LongBuffer nanos, int count) {
        Histogram histogram = TargetResult.emptyHistogram();
        for (int i = 0; i < count; i++) {
            histogram.recordValue(nanos.get());
        }
        return histogram;
    }
}

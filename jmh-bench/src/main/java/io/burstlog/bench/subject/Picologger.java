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
import java.util.Arrays;
import org.HdrHistogram.Histogram;

/**
 * The crate picologger: a child process, which cargo builds, gives it messages as fast as it can, and times them.
 *
 * @param submits of each message
 * @param lags until the crate says that a message has reached the disk, of one in 64
 */
public record Picologger(double perSecond, double onDiskPerSecond, Histogram submits, Histogram lags) {

    private static final String PROGRAM = "picologger_bench";

    public static Picologger run(int bytes, int messages, Media media) throws IOException, Media.NotPossible {
        Path program = build(bytes);
        Path log = media.file("picologger.log");
        Path results = media.file("picologger.results");
        Programs.run(program.toString(), log.toString(), Integer.toString(messages), results.toString());
        LongBuffer values = ByteBuffer.wrap(Files.readAllBytes(results))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer();
        Files.delete(log);
        double perSecond = messages * 1e9 / values.get();
        double onDiskPerSecond = messages * 1e9 / values.get();
        Histogram submits = histogram(values, messages);
        return new Picologger(perSecond, onDiskPerSecond, submits, histogram(values, values.remaining()));
    }

    /** The program for messages of that size; a size that was built before takes no time. */
    static Path build(int bytes) throws IOException, Media.NotPossible {
        requireCargo();
        Path crate = Files.createDirectories(ServedPeers.programs().resolve("picologger-" + bytes));
        unpack("Cargo.toml", crate);
        unpack(PROGRAM + ".rs", crate);
        Programs.run(
                "cargo",
                "build",
                "--release",
                "--quiet",
                "--config",
                "env.MESSAGE_BYTES=\"%d\"".formatted(bytes),
                "--manifest-path",
                crate.resolve("Cargo.toml").toString(),
                "--target-dir",
                crate.resolve("target").toString());
        return crate.resolve("target/release").resolve(PROGRAM).toAbsolutePath();
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
            byte[] bytes = packed.readAllBytes();
            Path file = folder.resolve(name);
            // Cargo builds what is newer than its program.
            if (!Files.exists(file) || !Arrays.equals(Files.readAllBytes(file), bytes)) {
                Files.write(file, bytes);
            }
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

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.fix;

import io.burstlog.bench.harness.Options;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/**
 * The times at which orders come. By default they are those of a market that opens: 2,500 orders a second, falling to
 * 800; and four times a second, irregularly, one order is followed by 5 to 40 others, some 30 us apart. It is no
 * exchange's day: {@link #record} made it from a seed, and makes the same times on every machine. You can replay a day
 * of your own from a file: one number a line, the microseconds since the order before.
 */
public final class MarketOpen {

    /** Times since the beginning, in ascending order. */
    private final long[] micros;

    private MarketOpen(long[] micros) {
        this.micros = micros;
    }

    /** Prints the recorded times in the form of such a file. */
    public static void print(Options options) throws IOException {
        long before = 0;
        for (long at : from(options).micros) {
            System.out.println(at - before);
            before = at;
        }
    }

    /** The times in the file {@code --load}; or those of a market that opens, for so many {@code --millis}. */
    public static MarketOpen from(Options options) throws IOException {
        String file = options.text("load", "");
        return file.isEmpty() ? record(options.number("millis", 5000)) : read(Path.of(file));
    }

    /**
     * Those of a market that opens, but so many times as slow: no more than the slowest gateway can do.
     *
     * @param millis how long it is then
     */
    public static MarketOpen slowed(int times, int millis) {
        return new MarketOpen(Arrays.stream(record(millis / times).micros)
                .map(at -> at * times)
                .toArray());
    }

    /** The same gap between all orders. */
    public static MarketOpen steady(int ordersPerSecond, int millis) {
        long[] micros = new long[(int) ((long) ordersPerSecond * millis / 1000)];
        Arrays.setAll(micros, i -> i * 1_000_000L / ordersPerSecond);
        return new MarketOpen(micros);
    }

    static MarketOpen read(Path file) throws IOException {
        long[] micros = Files.readAllLines(file).stream()
                .filter(line -> !line.isBlank())
                .mapToLong(line -> Long.parseLong(line.strip()))
                .toArray();
        for (int i = 1; i < micros.length; i++) {
            micros[i] += micros[i - 1];
        }
        return new MarketOpen(micros);
    }

    static MarketOpen record(int millis) {
        Random random = new Random(2018);
        List<Long> times = new ArrayList<>();
        double end = millis * 1e3;
        for (double at = 0; at < end; at += gap(random, 1e6 / ordersPerSecond(at / 1e6))) {
            times.add((long) at);
        }
        for (double at = gap(random, 250e3); at < end; at += gap(random, 250e3)) {
            double follower = at;
            for (int i = 5 + random.nextInt(36); i > 0 && follower < end; i--) {
                times.add((long) follower);
                follower += gap(random, 30);
            }
        }
        Collections.sort(times);
        return new MarketOpen(times.stream().mapToLong(each -> each).toArray());
    }

    private static double ordersPerSecond(double second) {
        return 800 + 1700 * StrictMath.exp(-second);
    }

    /** A gap between independent events. */
    private static double gap(Random random, double mean) {
        return -mean * StrictMath.log(1 - random.nextDouble());
    }

    public int orders() {
        return micros.length;
    }

    /** Since the beginning. */
    long nanosOf(int order) {
        return micros[order] * 1000;
    }

    public double seconds() {
        return micros.length == 0 ? 0 : micros[micros.length - 1] / 1e6;
    }

    /** Two runs with the same sum replayed the same times. */
    public String sha256() {
        StringBuilder text = new StringBuilder();
        for (long at : micros) {
            text.append(at).append('\n');
        }
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException never) {
            throw new IllegalStateException(never);
        }
    }
}

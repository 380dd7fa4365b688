// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Disturbs three hosts and three brokers for a number of rounds, see {@link KafkaRounds}. The last line is the result.
 * It exits with 0 if nothing was lost, doubled or out of order, 1 otherwise, 2 on wrong usage.
 * {@code scripts/prove/kill-kafka} builds and starts it.
 */
final class KillKafka {

    private KillKafka() {}

    public static void main(String[] arguments) throws Exception {
        int rounds = 0;
        long seed = 1;
        double seconds = 1e9;
        String only = "";
        if (arguments.length < 3 || arguments.length % 2 == 0) {
            exitWithUsage();
        }
        for (int i = 3; i < arguments.length; i += 2) {
            String value = arguments[i + 1];
            switch (arguments[i]) {
                case "--rounds" -> rounds = Integer.parseInt(value);
                case "--seed" -> seed = Long.parseLong(value);
                case "--seconds" -> seconds = Double.parseDouble(value);
                case "--only" -> only = value.toUpperCase(Locale.ROOT);
                default -> exitWithUsage();
            }
        }
        Jvms jvms = new Jvms(
                Path.of(arguments[1]).toAbsolutePath(), Path.of(arguments[2]).toAbsolutePath());
        System.exit(run(Path.of(arguments[0]).toAbsolutePath(), jvms, rounds, seed, seconds, only));
    }

    private static void exitWithUsage() {
        System.err.println(
                "Usage: WORK CLOCK-SHIM ARCHIVES [--rounds N] [--seconds N] [--seed S] [--only DISTURBANCE]");
        System.exit(2);
    }

    private static int run(Path work, Jvms jvms, int rounds, long seed, double seconds, String only) throws Exception {
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 1e9);
        int done = 0;
        boolean isRight = true;
        try (KafkaRounds all = new KafkaRounds(work, jvms, seed)) {
            try {
                all.start();
                for (long told = System.nanoTime(); done < rounds && System.nanoTime() < end; done++) {
                    all.run(only.isEmpty() ? all.choose() : KafkaRounds.Disturbance.valueOf(only));
                    if (System.nanoTime() - told > 10_000_000_000L) {
                        report(begin, done + 1, all);
                        told = System.nanoTime();
                    }
                }
                all.end();
            } catch (KafkaRounds.Violation found) {
                isRight = false;
                System.out.printf(
                        "VIOLATION in round %d: %s%n    left in %s%n    again: scripts/prove/kill-kafka --rounds %d --seed %d%n",
                        done + 1, found.getMessage(), work, rounds, seed);
            }
            report(begin, done, all);
        }
        System.out.printf("PROOF kill-kafka cases=%d violations=%d seeds=%d-%d%n", done, isRight ? 0 : 1, seed, seed);
        return isRight ? 0 : 1;
    }

    private static void report(long begin, int rounds, KafkaRounds all) throws IOException {
        System.out.printf("%4.0f s: %d rounds, %s%n", (System.nanoTime() - begin) / 1e9, rounds, all.report());
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Kills logging JVMs for a given time, see {@link KillRounds}: one seed after the other, each with a ring and log files
 * of its own, and several at a time. The last line is the result. It exits with 0 if nothing was lost, 1 otherwise, 2
 * on wrong usage. {@code scripts/prove/kill-jvm} builds and starts it.
 */
final class KillJvm {
    private static final int MOST_KILLS_OF_A_SEED = 20;
    private static final int BY_THE_SEED = 0;
    private static final int NO_END = 1_000_000_000;

    private final long end;
    private final long firstSeed;
    private final int killsOfASeed;
    private final long seeds;
    private final int streams;
    private final boolean areVirtual;
    private final boolean isDrainedOutside;
    private final List<String> jvmOptions;
    private final AtomicLong nextSeed;
    private final Map<Phase, Integer> hits = new EnumMap<>(Phase.class);
    private final long begin = System.nanoTime();
    private long kills;
    private long killsOfDrains;
    private long lines;
    private long violations;
    private long lastSeed;

    private KillJvm(
            double seconds,
            long firstSeed,
            long rounds,
            int streams,
            boolean areVirtual,
            boolean isDrainedOutside,
            List<String> jvmOptions) {
        this.end = begin + (long) (seconds * 1e9);
        this.firstSeed = firstSeed;
        this.lastSeed = firstSeed;
        this.nextSeed = new AtomicLong(firstSeed);
        this.killsOfASeed = (int) Math.min(rounds, MOST_KILLS_OF_A_SEED);
        this.seeds = (rounds + killsOfASeed - 1) / killsOfASeed;
        this.streams = streams;
        this.areVirtual = areVirtual;
        this.isDrainedOutside = isDrainedOutside;
        this.jvmOptions = jvmOptions;
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = NO_END;
        long seed = 1;
        long rounds = NO_END;
        int streams = BY_THE_SEED;
        boolean areVirtual = false;
        boolean isDrainedOutside = false;
        int parallel = Math.max(1, Runtime.getRuntime().availableProcessors());
        List<String> options = new ArrayList<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            String value = arguments[i + 1];
            switch (arguments[i]) {
                case "--seconds" -> seconds = Double.parseDouble(value);
                case "--seed" -> seed = Long.parseLong(value);
                case "--rounds" -> rounds = Long.parseLong(value);
                case "--parallel" -> parallel = Integer.parseInt(value);
                case "--streams" -> streams = Integer.parseInt(value);
                case "--threads" -> areVirtual = isSecond(value, "platform", "virtual");
                case "--drain" -> isDrainedOutside = isSecond(value, "inner", "external");
                case "--jvm-option" -> options.add(value);
                default -> exitWithUsage();
            }
        }
        if (arguments.length % 2 != 0 || seconds == NO_END && rounds == NO_END) {
            exitWithUsage();
        }
        if (areVirtual) {
            options.add("-Dit.virtual=true");
        }
        System.exit(new KillJvm(seconds, seed, rounds, streams, areVirtual, isDrainedOutside, options).run(parallel));
    }

    private static boolean isSecond(String value, String first, String second) {
        if (!value.equals(first) && !value.equals(second)) {
            exitWithUsage();
        }
        return value.equals(second);
    }

    private static void exitWithUsage() {
        System.err.println("Usage: [--seconds N] [--rounds N] [--seed S] [--parallel N] [--streams N]"
                + " [--threads platform|virtual] [--drain inner|external] [--jvm-option OPTION]..");
        System.err.println(
                "At least one of --seconds and --rounds; rounds come in multiples of " + MOST_KILLS_OF_A_SEED + ".");
        System.exit(2);
    }

    private int run(int parallel) throws InterruptedException {
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < parallel; i++) {
            workers.add(new Thread(this::work));
        }
        workers.forEach(Thread::start);
        for (Thread worker : workers) {
            for (worker.join(5_000); worker.isAlive(); worker.join(5_000)) {
                report();
            }
        }
        report();
        System.out.printf(
                "PROOF kill-jvm cases=%d violations=%d seeds=%d-%d%n", kills, violations, firstSeed, lastSeed);
        return violations == 0 && kills > 0 ? 0 : 1;
    }

    private void work() {
        while (System.nanoTime() < end) {
            long seed = nextSeed.getAndIncrement();
            if (seed - firstSeed >= seeds) {
                return;
            }
            runSeed(seed);
        }
    }

    private int streamsOf(long seed) {
        return streams != BY_THE_SEED ? streams : seed % 4 < 2 ? 1 : 4;
    }

    private void runSeed(long seed) {
        KillRounds rounds = null;
        String violation = null;
        try {
            rounds = new KillRounds(
                    seed, "kill-jvm-" + seed, streamsOf(seed), seed % 3 == 0, isDrainedOutside, jvmOptions);
            rounds.run(killsOfASeed, end);
            rounds.installation().delete();
        } catch (AssertionError | RuntimeException found) {
            violation = found.toString();
        } catch (IOException | InterruptedException broken) {
            violation = "the test itself failed: " + broken;
        }
        add(seed, rounds, violation);
    }

    private synchronized void add(long seed, KillRounds rounds, String violation) {
        lastSeed = Math.max(lastSeed, seed);
        if (rounds != null) {
            rounds.hits().forEach((phase, count) -> hits.merge(phase, count, Integer::sum));
            kills += rounds.hits().values().stream().mapToInt(Integer::intValue).sum();
            killsOfDrains += rounds.killsOfDrain();
            lines += rounds.acknowledged();
        }
        if (violation != null) {
            violations++;
            System.out.printf(
                    "VIOLATION seed %d: %s%n    left in %s%n    again: scripts/prove/kill-jvm --rounds %d --seed %d"
                            + " --streams %d --threads %s --drain %s%n",
                    seed,
                    violation,
                    rounds == null ? "nothing" : rounds.installation().directory(),
                    killsOfASeed,
                    seed,
                    streamsOf(seed),
                    areVirtual ? "virtual" : "platform",
                    isDrainedOutside ? "external" : "inner");
        }
    }

    private synchronized void report() {
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf(
                "%4.0f s: %d kills, %.1f/s, in %s%s; %,d lines acknowledged%n",
                seconds,
                kills,
                kills / seconds,
                hits,
                isDrainedOutside ? ", and " + killsOfDrains + " of the drain" : "",
                lines);
    }
}

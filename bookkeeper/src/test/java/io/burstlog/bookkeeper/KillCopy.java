// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.copy.BurstCopier.Away;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;

/**
 * Kills hosts that copy their rings to three bookies, and disturbs both, again and again. After each round the copies
 * are put together: each must have each record that a host knew to be copied, once, in order; and of those that a host
 * knew to have one copy, all but exactly those that the log has named. scripts/prove/kill-copy runs it.
 */
final class KillCopy {

    private static final int MOST_MILLIS_TO_LIVE = 1500;
    private static final int ONE_RING_IN_GOES = 4;

    /** Disturbs all rings of a round. In the end all hosts are killed in any case. */
    private enum Fault {
        NOTHING,
        ONE_BOOKIE_DIES,
        TWO_BOOKIES_DIE,
        ANOTHER_COPIER_BEGINS,
        COPY_IS_TAKEN_OVER
    }

    private final Bookies bookies;
    private final List<KilledRing> rings = new ArrayList<>();
    private final Random random;
    private final ExecutorService verifiers = Executors.newCachedThreadPool();
    private final int[] faults = new int[Fault.values().length];
    private int round;
    private int verified;
    private int killedMeanwhile;
    private int gone;
    private long copied;
    private long alone;

    private KillCopy(Path work, Bookies bookies, int count, long seed) {
        this.bookies = bookies;
        for (int i = 0; i < count; i++) {
            rings.add(new KilledRing("host-" + i, work, bookies));
        }
        random = new Random(seed);
    }

    public static void main(String[] arguments) throws Exception {
        long rounds = Long.MAX_VALUE;
        double seconds = Double.MAX_VALUE;
        long seed = 1;
        int rings = 3;
        for (int i = 1; i + 1 < arguments.length; i += 2) {
            switch (arguments[i]) {
                case "--rounds" -> rounds = Long.parseLong(arguments[i + 1]);
                case "--seconds" -> seconds = Double.parseDouble(arguments[i + 1]);
                case "--seed" -> seed = Long.parseLong(arguments[i + 1]);
                case "--rings" -> rings = Integer.parseInt(arguments[i + 1]);
                default -> throw new IllegalArgumentException(arguments[i]);
            }
        }
        Configurator.setRootLevel(Level.OFF);
        Path work = Path.of(arguments[0]).toAbsolutePath();
        long end = System.nanoTime() + (long) Math.min(seconds * 1e9, Long.MAX_VALUE / 4);
        String wrong = null;
        KillCopy kills;
        try (Bookies bookies = new Bookies(work.resolve("bookies"), Bookies.AT_ONCE)) {
            kills = new KillCopy(work, bookies, rings, seed);
            while (wrong == null && kills.round < rounds && System.nanoTime() < end) {
                wrong = kills.round();
            }
        }
        kills.tell();
        System.out.println(wrong == null ? "each is where it was said to be" : wrong);
        System.out.printf(
                "PROOF kill-copy cases=%d violations=%d seeds=%d-%d%n",
                kills.verified, wrong == null ? 0 : 1, seed, seed);
        System.exit(wrong == null ? 0 : 1);
    }

    private void tell() {
        System.out.printf("%d rounds of %d rings:%n", round, rings.size());
        for (Fault each : Fault.values()) {
            System.out.printf("%6d  %s%n", faults[each.ordinal()], each);
        }
        System.out.printf(
                "%d hosts killed and copies verified, %d of them in the middle of a fault; %d rings gone;"
                        + " %d lines copied, %d with one copy%n",
                verified, killedMeanwhile, gone, copied, alone);
    }

    /** {@return what is wrong; null if nothing is} */
    private String round() throws Exception {
        round++;
        Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
        faults[fault.ordinal()]++;
        long begin = System.nanoTime();
        String wrong = null;
        try {
            for (KilledRing each : rings) {
                each.start(round, random.nextBoolean() ? Away.WAIT : Away.DEGRADE);
            }
            for (KilledRing each : rings) {
                each.awaitCopied(1);
            }
            live();
            disturb(fault);
        } catch (IOException failure) {
            wrong = failure.getMessage();
        } finally {
            for (KilledRing each : rings) {
                each.kill();
            }
        }
        if (wrong == null) {
            bookies.awaitAvailable(Bookies.COUNT);
            wrong = verify(fault);
        }
        System.out.printf("%d %s in %.1f s%n", round, fault, (System.nanoTime() - begin) / 1e9);
        return wrong == null ? null : "round " + round + ", " + fault + ": " + wrong;
    }

    private void live() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_MILLIS_TO_LIVE));
    }

    private void disturb(Fault fault) throws Exception {
        int one = random.nextInt(Bookies.COUNT);
        int other = (one + 1) % Bookies.COUNT;
        switch (fault) {
            case ONE_BOOKIE_DIES -> {
                bookies.kill(one);
                awaitProgress();
                killSome();
                bookies.startAgain(one);
            }
            case TWO_BOOKIES_DIE -> {
                bookies.kill(one);
                bookies.kill(other);
                for (KilledRing each : rings) {
                    if (each.away() == Away.DEGRADE) {
                        each.awaitAlone();
                    }
                }
                live();
                killSome();
                bookies.start(one);
                bookies.start(other);
                bookies.awaitStarted();
                awaitProgress();
            }
            case ANOTHER_COPIER_BEGINS -> {
                for (KilledRing each : rings) {
                    each.fence();
                }
                awaitEnd();
            }
            case COPY_IS_TAKEN_OVER -> {
                for (KilledRing each : rings) {
                    each.takeOver();
                }
                awaitEnd();
            }
            default -> {}
        }
    }

    /** Kills some hosts in the middle of a fault. */
    private void killSome() throws InterruptedException {
        for (KilledRing each : rings) {
            if (random.nextBoolean()) {
                each.kill();
                killedMeanwhile++;
            }
        }
    }

    private void awaitProgress() throws Exception {
        for (KilledRing each : rings) {
            if (each.isAlive()) {
                each.awaitProgress();
            }
        }
    }

    private void awaitEnd() throws Exception {
        for (KilledRing each : rings) {
            each.awaitEnd();
        }
    }

    private String verify(Fault fault) throws Exception {
        List<Future<String>> verdicts = new ArrayList<>();
        for (KilledRing each : rings) {
            boolean goes = random.nextInt(ONE_RING_IN_GOES) == 0;
            boolean isGone = goes || each.isOld() || fault == Fault.COPY_IS_TAKEN_OVER;
            gone += isGone ? 1 : 0;
            copied += each.copied();
            alone += each.alone();
            verdicts.add(verifiers.submit(() -> each.verify(isGone)));
        }
        String wrong = null;
        for (int i = 0; i < verdicts.size(); i++) {
            String verdict = verdicts.get(i).get();
            verified++;
            if (verdict != null) {
                wrong = rings.get(i) + ": " + verdict;
            }
        }
        return wrong;
    }
}

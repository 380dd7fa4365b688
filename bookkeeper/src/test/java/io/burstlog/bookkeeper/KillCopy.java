// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.copy.BurstCopier.Away;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;

/**
 * Kills hosts that copy their rings to three bookies, and disturbs both, again and again. After each round the copies
 * are put together: each must have each record that a host knew to be copied, once, in order; and of those that a host
 * knew to have one copy, all but exactly those that the log has named. scripts/prove/kill-copy runs it.
 */
final class KillCopy {

    private static final int MOST_MILLIS_TO_LIVE = 1500;
    private static final int START_MILLIS = 200;
    private static final int ONE_RING_IN_GOES = 4;

    private final Nodes nodes;
    private final Bookies bookies;
    private final List<KilledRing> rings = new ArrayList<>();
    private final Random random;
    private final ExecutorService verifiers = Executors.newCachedThreadPool();
    private final ScheduledExecutorService starter = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    });
    private final ReentrantLock isDisturbed = new ReentrantLock();
    private final List<Fault> faults;
    private final int[] counts = new int[Fault.values().length];
    private int round;
    private int verified;
    private int killedMeanwhile;
    private int gone;
    private long copied;
    private long alone;
    private int readOnly;

    private KillCopy(Path work, Bookies bookies, Nodes nodes, int count, long seed) throws IOException {
        this.bookies = bookies;
        this.nodes = nodes;
        for (int i = 0; i < count; i++) {
            rings.add(new KilledRing("host-" + i, work, bookies, nodes));
        }
        random = new Random(seed);
        faults = Arrays.stream(Fault.values())
                .filter(each -> nodes instanceof Namespaces || !each.way.wantsNamespaces())
                .toList();
    }

    public static void main(String[] arguments) throws Exception {
        long rounds = Long.MAX_VALUE;
        double seconds = Double.MAX_VALUE;
        long seed = 1;
        int rings = 3;
        Nodes nodes = Nodes.LOOPBACK;
        for (int i = 1; i + 1 < arguments.length; i += 2) {
            switch (arguments[i]) {
                case "--rounds" -> rounds = Long.parseLong(arguments[i + 1]);
                case "--seconds" -> seconds = Double.parseDouble(arguments[i + 1]);
                case "--seed" -> seed = Long.parseLong(arguments[i + 1]);
                case "--nodes" -> nodes = arguments[i + 1].equals("namespaces") ? new Namespaces() : nodes;
                case "--rings" -> rings = Integer.parseInt(arguments[i + 1]);
                default -> throw new IllegalArgumentException(arguments[i]);
            }
        }
        Configurator.setRootLevel(Level.OFF);
        Path work = Path.of(arguments[0]).toAbsolutePath();
        String wrong = null;
        KillCopy kills;
        String settings = Bookies.AT_ONCE + "\n" + Namespaces.SMALL_DISKS;
        try (Bookies bookies = new Bookies(work.resolve("bookies"), settings, nodes)) {
            kills = new KillCopy(work, bookies, nodes, rings, seed);
            kills.starter.scheduleWithFixedDelay(kills::startDead, 0, START_MILLIS, TimeUnit.MILLISECONDS);
            // The start of the bookies takes longer than a short run has.
            long end = System.nanoTime() + (long) Math.min(seconds * 1e9, Long.MAX_VALUE / 4);
            try {
                do {
                    wrong = kills.round();
                } while (wrong == null && kills.round < rounds && System.nanoTime() < end);
            } finally {
                kills.starter.shutdownNow();
                kills.starter.awaitTermination(1, TimeUnit.MINUTES);
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
            String count = faults.contains(each) ? Integer.toString(counts[each.ordinal()]) : "SKIPPED";
            System.out.printf("%9s  %s%n", count, each);
        }
        System.out.printf(
                "%d hosts killed and copies verified, %d of them in the middle of a fault; %d rings gone;"
                        + " %d lines copied, %d with one copy;"
                        + " %d bookies killed that had become read-only by themselves%n",
                verified, killedMeanwhile, gone, copied, alone, readOnly);
        int left = Fault.values().length - faults.size();
        if (left > 0) {
            System.out.printf(
                    "SKIPPED: %d of %d faults, which want namespaces: no network was cut, no disk was full%n",
                    left, Fault.values().length);
        }
    }

    /** Bookies that end by themselves start again, but not in the middle of a fault. */
    private void startDead() {
        isDisturbed.lock();
        try {
            bookies.startDead();
        } catch (IOException failure) {
            System.out.printf(" (no bookie was started: %s)", failure.getMessage());
        } finally {
            isDisturbed.unlock();
        }
    }

    /** {@return what is wrong; null if nothing is} */
    private String round() throws Exception {
        round++;
        Fault fault = faults.get(random.nextInt(faults.size()));
        counts[fault.ordinal()]++;
        System.out.printf("%d %s", round, fault);
        long begin = System.nanoTime();
        String wrong;
        try {
            try {
                for (KilledRing each : rings) {
                    each.start(round, random.nextBoolean() ? Away.WAIT : Away.DEGRADE);
                }
                for (KilledRing each : rings) {
                    each.awaitCopied(1);
                }
                pause(0, MOST_MILLIS_TO_LIVE);
                disturb(fault);
            } finally {
                for (KilledRing each : rings) {
                    each.kill();
                }
            }
            readOnly += bookies.killReadOnly();
            bookies.awaitAvailable(Bookies.COUNT);
            bookies.awaitAnswers();
            wrong = verify(fault);
        } catch (InterruptedException stopped) {
            throw stopped;
        } catch (Exception failure) {
            wrong = failure.toString();
        }
        System.out.printf(" in %.1f s%n", (System.nanoTime() - begin) / 1e9);
        return wrong == null ? null : "round " + round + ", " + fault + ": " + wrong;
    }

    private void pause(int leastMillis, int mostMillis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(random.nextInt(leastMillis, mostMillis + 1));
    }

    private void disturb(Fault fault) throws Exception {
        switch (fault.way) {
            case NONE -> {}
            case FENCE -> {
                for (KilledRing each : rings) {
                    each.fence();
                }
                awaitEnd();
            }
            case TAKE_OVER -> {
                for (KilledRing each : rings) {
                    each.takeOver();
                }
                awaitEnd();
            }
            case CUT_HOSTS, REPLACE_HOSTS -> disturbHosts(fault, (Namespaces) nodes);
            default -> disturbBookies(fault);
        }
    }

    private void disturbBookies(Fault fault) throws Exception {
        int first = random.nextInt(Bookies.COUNT);
        isDisturbed.lock();
        try {
            for (int i = 0; i < fault.bookies; i++) {
                begin(fault.way, (first + i) % Bookies.COUNT);
            }
            if (fault.bookies == 1) {
                awaitProgress();
            }
            meanwhile(fault);
            for (int i = 0; i < fault.bookies; i++) {
                end(fault.way, (first + i) % Bookies.COUNT);
            }
        } finally {
            isDisturbed.unlock();
        }
        awaitProgress();
    }

    private void begin(Fault.Way way, int bookie) throws Exception {
        switch (way) {
            case DIE -> bookies.kill(bookie);
            case CUT -> ((Namespaces) nodes).cut(Bookies.node(bookie));
            case FILL -> Namespaces.fill(bookies.folder(bookie), 0);
            case NEARLY_FILL -> Namespaces.fill(bookies.folder(bookie), Namespaces.NEARLY_FULL_BYTES);
            default -> throw new IllegalArgumentException(way.toString());
        }
    }

    private void end(Fault.Way way, int bookie) throws Exception {
        switch (way) {
            case DIE -> {} // it is started again
            case CUT -> ((Namespaces) nodes).mend(Bookies.node(bookie));
            default -> Namespaces.free(bookies.folder(bookie));
        }
    }

    private void disturbHosts(Fault fault, Namespaces namespaces) throws Exception {
        for (KilledRing each : rings) {
            namespaces.cut(each.name());
        }
        meanwhile(fault);
        if (fault.way == Fault.Way.REPLACE_HOSTS) {
            for (KilledRing each : rings) {
                each.takeOver();
            }
            pause(0, MOST_MILLIS_TO_LIVE);
        }
        for (KilledRing each : rings) {
            namespaces.mend(each.name());
        }
        if (fault.way == Fault.Way.REPLACE_HOSTS) {
            awaitEnd();
        } else {
            awaitProgress();
        }
    }

    /** Lets the fault last, and kills some hosts then. */
    private void meanwhile(Fault fault) throws Exception {
        pause(fault.leastMillis, fault.mostMillis);
        for (KilledRing each : rings) {
            if (fault.isSurelySeen() && each.away() == Away.DEGRADE) {
                each.awaitAlone();
            }
        }
        killSome();
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
            boolean isGone =
                    goes || each.isOld() || fault.way == Fault.Way.TAKE_OVER || fault.way == Fault.Way.REPLACE_HOSTS;
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

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.copy.BurstCopier.Away;
import io.burstlog.copy.CopyRecovery;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;

/**
 * Kills hosts that copy their rings to three bookies, and bookies, again and again. After each round the copy is put
 * together, and must have each record that a host knew to be copied, once, in order; and of those that a host knew to
 * have one copy, all but exactly those that the log has named. scripts/prove/kill-copy runs it.
 */
final class KillCopy {

    private static final long LONG_ENOUGH_NANOS = 120_000_000_000L;
    private static final int MOST_MILLIS_TO_LIVE = 1500;
    private static final int THREADS = 3;

    /** Disturbs a host while it lives. In the end the host is killed in any case. */
    private enum Event {
        NOTHING,
        ONE_BOOKIE_DIES,
        TWO_BOOKIES_DIE,
        ANOTHER_COPIER_BEGINS,
        HOST_IS_GONE
    }

    private final Path work;
    private final Bookies bookies;
    private final Random random;
    private final int[] events = new int[Event.values().length];
    private List<Path> outputs = new ArrayList<>();
    private String ring;
    private int round;
    private long copied;
    private long alone;

    private KillCopy(Path work, Bookies bookies, long seed) {
        this.work = work;
        this.bookies = bookies;
        random = new Random(seed);
    }

    public static void main(String[] arguments) throws Exception {
        long rounds = Long.MAX_VALUE;
        double seconds = Double.MAX_VALUE;
        long seed = 1;
        for (int i = 1; i + 1 < arguments.length; i += 2) {
            switch (arguments[i]) {
                case "--rounds" -> rounds = Long.parseLong(arguments[i + 1]);
                case "--seconds" -> seconds = Double.parseDouble(arguments[i + 1]);
                case "--seed" -> seed = Long.parseLong(arguments[i + 1]);
                default -> throw new IllegalArgumentException(arguments[i]);
            }
        }
        Configurator.setRootLevel(Level.OFF);
        Path work = Path.of(arguments[0]).toAbsolutePath();
        long end = System.nanoTime() + (long) Math.min(seconds * 1e9, Long.MAX_VALUE / 4);
        String wrong = null;
        KillCopy kills;
        try (Bookies bookies = new Bookies(work.resolve("bookies"), Bookies.AT_ONCE)) {
            kills = new KillCopy(work, bookies, seed);
            while (wrong == null && kills.round < rounds && System.nanoTime() < end) {
                wrong = kills.round();
            }
        }
        for (Event each : Event.values()) {
            System.out.printf("%s %d  ", each, kills.events[each.ordinal()]);
        }
        System.out.printf(
                "%n%d lines copied, %d with one copy%n%s%n",
                kills.copied, kills.alone, wrong == null ? "each is where it was said to be" : wrong);
        System.out.printf(
                "PROOF kill-copy cases=%d violations=%d seeds=%d-%d%n", kills.round, wrong == null ? 0 : 1, seed, seed);
        System.exit(wrong == null ? 0 : 1);
    }

    private Path host() {
        return work.resolve("host");
    }

    /** {@return what is wrong; null if nothing is} */
    private String round() throws Exception {
        round++;
        Event event = Event.values()[random.nextInt(Event.values().length)];
        events[event.ordinal()]++;
        Away away = random.nextBoolean() ? Away.WAIT : Away.DEGRADE;
        Path said = work.resolve("host-" + round + ".out");
        Process process = Bookies.java(
                said,
                CopiedHost.class.getName(),
                host().toString(),
                bookies.uri(),
                "round" + round,
                away.name(),
                Integer.toString(THREADS));
        outputs.add(said);
        String wrong;
        try {
            await(process, said, () -> Copies.count(said, "copied ") > 0);
            ring = Copies.said(said, "ring ").get(0);
            live();
            disturb(event, away, process, said);
        } catch (IOException failure) {
            return "round " + round + ", " + event + ": " + failure.getMessage();
        } finally {
            Bookies.kill(process);
        }
        wrong = verify(event == Event.HOST_IS_GONE);
        copied += Copies.count(said, "copied ");
        alone += Copies.count(said, "alone ");
        System.out.printf(
                "%d %s %s: %d copied, %d alone%n",
                round, event, away, Copies.count(said, "copied "), Copies.count(said, "alone "));
        return wrong == null ? null : "round " + round + ", " + event + ", " + away + ": " + wrong;
    }

    private void live() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_MILLIS_TO_LIVE));
    }

    private void disturb(Event event, Away away, Process process, Path said) throws Exception {
        int one = random.nextInt(Bookies.COUNT);
        int other = (one + 1) % Bookies.COUNT;
        switch (event) {
            case ONE_BOOKIE_DIES -> {
                bookies.kill(one);
                long before = Copies.count(said, "copied ");
                await(process, said, () -> Copies.count(said, "copied ") > before + THREADS);
                Bookies.kill(process);
                bookies.startAgain(one);
            }
            case TWO_BOOKIES_DIE -> {
                bookies.kill(one);
                bookies.kill(other);
                if (away == Away.DEGRADE) {
                    await(process, said, () -> Copies.count(said, "alone ") > 0);
                }
                live();
                bookies.startAgain(one);
                bookies.startAgain(other);
                long before = Copies.count(said, "copied ");
                await(process, said, () -> Copies.count(said, "copied ") > before + THREADS);
            }
            case ANOTHER_COPIER_BEGINS -> {
                try (BookKeeperStore another = store()) {
                    another.fence();
                }
                await(null, said, () -> !process.isAlive());
            }
            default -> {}
        }
    }

    private BookKeeperStore store() {
        return new BookKeeperStore(ring, Map.of("metadataServiceUri", bookies.uri()));
    }

    /** Fences as the next copier will, or takes the copy over for good, and looks at what is there. */
    private String verify(boolean isGone) throws Exception {
        bookies.awaitAvailable(Bookies.COUNT);
        Path to = work.resolve("recovered");
        Bookies.deleteTree(to);
        try (BookKeeperStore store = store()) {
            if (isGone) {
                Bookies.deleteTree(host());
                store.takeOver();
            } else {
                store.fence();
            }
            CopyRecovery.of(store).to(to);
        }
        String wrong = Copies.wrong(to, outputs);
        if (isGone) {
            outputs = new ArrayList<>();
        }
        return wrong;
    }

    private static void await(Process process, Path said, BooleanSupplier condition) throws Exception {
        for (long begin = System.nanoTime(); !condition.getAsBoolean(); TimeUnit.MILLISECONDS.sleep(10)) {
            if (System.nanoTime() - begin > LONG_ENOUGH_NANOS || process != null && !process.isAlive()) {
                throw new IOException("the host does not go on, see " + said);
            }
        }
    }
}

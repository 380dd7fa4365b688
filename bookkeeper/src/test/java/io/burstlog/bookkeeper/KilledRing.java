// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.copy.BurstCopier.Away;
import io.burstlog.copy.CopyRecovery;
import io.burstlog.copy.CopyStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.bookkeeper.client.BookKeeper;

/**
 * A ring with a copy. One host after the other opens it, and each is killed. When the ring is gone, a new one follows.
 */
final class KilledRing {

    private static final long LONG_ENOUGH_NANOS = 120_000_000_000L;
    private static final int THREADS = 3;

    /** Each round adds to what is verified. */
    private static final int MOST_ROUNDS = 5;

    private final String name;
    private final Path work;
    private final Bookies bookies;
    private final Nodes nodes;
    private List<Path> outputs = new ArrayList<>();
    private String ring;
    private Away away;
    private Process host;
    private Path said;

    /** @param name its name, and that of the node of its hosts */
    KilledRing(String name, Path work, Bookies bookies, Nodes nodes) throws IOException {
        this.name = name;
        this.work = work;
        this.bookies = bookies;
        this.nodes = nodes;
        nodes.address(name);
    }

    private Path folder() {
        return work.resolve(name);
    }

    /** Starts a host, which logs until it is killed. */
    void start(int round, Away copyAway) throws IOException {
        away = copyAway;
        said = work.resolve(name + "-" + round + ".out");
        host = Bookies.java(
                nodes.on(name),
                said,
                CopiedHost.class.getName(),
                folder().toString(),
                bookies.uri(),
                "round" + round,
                away.name(),
                Integer.toString(THREADS));
        outputs.add(said);
    }

    String name() {
        return name;
    }

    Away away() {
        return away;
    }

    boolean isAlive() {
        return host.isAlive();
    }

    /** Waits until the host knows of so many more records that they are copied. */
    void awaitCopied(int more) throws Exception {
        long before = copied();
        await(true, () -> copied() >= before + more);
        ring = Copies.said(said, "ring ").get(0);
    }

    /** Waits until more records of each thread are copied: what was under way before is done then. */
    void awaitProgress() throws Exception {
        awaitCopied(THREADS + 1);
    }

    void awaitAlone() throws Exception {
        await(true, () -> alone() > 0);
    }

    /** Waits until the host ends by itself. */
    void awaitEnd() throws Exception {
        await(false, () -> !isAlive());
    }

    void kill() throws InterruptedException {
        if (host != null) {
            Bookies.kill(host);
        }
    }

    /** {@return so many records the host knew to be copied} */
    int copied() {
        return Copies.count(said, "copied ");
    }

    /** {@return so many records the host knew to have one copy} */
    int alone() {
        return Copies.count(said, "alone ");
    }

    /** {@return whether it has had its rounds} */
    boolean isOld() {
        return outputs.size() >= MOST_ROUNDS;
    }

    /** Another copier begins. The host's, which lives, may go on to its next ledger meanwhile: then it begins again. */
    void fence() throws Exception {
        BookKeeperStore another = store();
        boolean isFenced;
        do {
            isFenced = isFenced(another);
        } while (!isFenced);
        letGo(another);
    }

    private static boolean isFenced(BookKeeperStore store) throws Exception {
        try {
            store.fence();
            return true;
        } catch (IOException failure) {
            if (failure.getCause() instanceof CopyStore.FencedException) {
                return false;
            }
            throw failure;
        }
    }

    void takeOver() throws Exception {
        BookKeeperStore another = store();
        another.takeOver();
        letGo(another);
    }

    private BookKeeperStore store() {
        return new BookKeeperStore(ring, Map.of("metadataServiceUri", bookies.uri()));
    }

    /** As an operator does when the records are safe elsewhere. */
    private void deleteLedgers() throws Exception {
        Map<String, String> properties = Map.of("metadataServiceUri", bookies.uri());
        Cluster cluster = new Cluster(properties);
        BookKeeper client = new BookKeeper(Cluster.configuration(properties));
        for (long ledger : cluster.ledgers(ring)) {
            client.deleteLedger(ledger);
        }
        letGo(cluster);
        letGo(client);
    }

    /** BookKeeper's client takes two seconds to close. */
    private static void letGo(AutoCloseable client) {
        CompletableFuture.runAsync(() -> {
            try {
                client.close();
            } catch (Exception left) {
                // It holds nothing that others wait for.
            }
        });
    }

    /**
     * Fences as the next copier will, or deletes the ring and takes the copy over for good, and looks at what is there.
     * All bookies answer, and no host lives: what fails is not tried again.
     *
     * @return what is wrong; null if nothing is
     */
    String verify(boolean isGone) throws Exception {
        Path to = work.resolve(name + "-recovered");
        if (isGone) {
            Bookies.deleteTree(folder());
        }
        Bookies.deleteTree(to);
        BookKeeperStore store = store();
        if (isGone) {
            store.takeOver();
        } else {
            store.fence();
        }
        CopyRecovery.of(store).to(to);
        String wrong = Copies.wrong(to, outputs);
        if (isGone) {
            outputs = new ArrayList<>();
            if (wrong == null) {
                deleteLedgers();
            }
        }
        letGo(store);
        return wrong;
    }

    private void await(boolean lives, BooleanSupplier condition) throws Exception {
        for (long begin = System.nanoTime(); !condition.getAsBoolean(); TimeUnit.MILLISECONDS.sleep(20)) {
            if (System.nanoTime() - begin > LONG_ENOUGH_NANOS || lives && !isAlive()) {
                throw new IOException("the host does not go on, see " + said);
            }
        }
    }

    @Override
    public String toString() {
        return name + " (" + away + ")";
    }
}

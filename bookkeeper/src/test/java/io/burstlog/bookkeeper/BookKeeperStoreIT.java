// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstException;
import io.burstlog.copy.CopyBlock;
import io.burstlog.copy.CopyStore.FencedException;
import io.burstlog.copy.CopyStore.RefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Blocks in the ledgers of three bookies. Each test has a ring of its own; the blocks are marks. */
@Timeout(300)
class BookKeeperStoreIT {

    private static final long LONG_ENOUGH_NANOS = 60_000_000_000L;
    private static Bookies bookies;

    private final String ring = UUID.randomUUID().toString().replace("-", "");
    private final Queue<Long> acknowledged = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void startBookies() throws Exception {
        bookies = Bookies.shared();
    }

    private static Map<String, String> properties() {
        return new HashMap<>(Map.of("metadataServiceUri", bookies.uri(), "addEntryTimeoutSec", "2"));
    }

    private BookKeeperStore store(String... properties) {
        Map<String, String> all = properties();
        for (int i = 0; i < properties.length; i += 2) {
            all.put(properties[i], properties[i + 1]);
        }
        return new BookKeeperStore(ring, all);
    }

    private void send(BookKeeperStore store, long first, long last) throws Exception {
        for (long i = first; i <= last; i++) {
            long number = i;
            store.send(CopyBlock.mark(ring, i, 1), () -> acknowledged.add(number));
        }
    }

    private void awaitAcknowledged(BookKeeperStore store, long last) throws Exception {
        for (long begin = System.nanoTime(); acknowledged.size() < last; Thread.sleep(2)) {
            store.check();
            assertThat(System.nanoTime() - begin).as("%s", acknowledged).isLessThan(LONG_ENOUGH_NANOS);
        }
    }

    private static List<Long> numbers(long first, long last) {
        return LongStream.rangeClosed(first, last).boxed().toList();
    }

    private static List<Long> readBack(BookKeeperStore store) throws Exception {
        List<Long> found = new ArrayList<>();
        store.readBack(block -> found.add(block.firstSequence()));
        return found;
    }

    @Test
    void blocks_are_acknowledged_and_read_back_in_order_over_all_ledgers() throws Exception {
        try (BookKeeperStore first = store()) {
            assertThat(first.fence()).isNull();
            assertThat(first.place()).hasToString("disk of 2 of 3 bookies");
            send(first, 1, 50);
            awaitAcknowledged(first, 50);
            assertThat(first.fence().firstSequence()).isEqualTo(50);
            send(first, 51, 60);
            awaitAcknowledged(first, 60);
        }
        try (BookKeeperStore second = store()) {
            assertThat(second.fence().firstSequence()).isEqualTo(60);
            assertThat(second.fence().firstSequence())
                    .as("behind an empty ledger")
                    .isEqualTo(60);
            assertThat(readBack(second)).isEqualTo(numbers(1, 60));
        }
        assertThat(acknowledged).containsExactlyElementsOf(numbers(1, 60));
    }

    /** A mark has 64 bytes. */
    @Test
    void a_full_ledger_ends_and_the_next_one_follows() throws Exception {
        try (BookKeeperStore store = new BookKeeperStore(ring, properties(), 1024)) {
            store.fence();
            send(store, 1, 50);
            awaitAcknowledged(store, 50);
            assertThat(acknowledged).containsExactlyElementsOf(numbers(1, 50));
        }
        try (BookKeeperStore next = store();
                Cluster cluster = new Cluster(properties())) {
            assertThat(cluster.ledgers(ring)).hasSize(4);
            assertThat(next.fence().firstSequence()).isEqualTo(50);
            assertThat(readBack(next)).isEqualTo(numbers(1, 50));
        }
    }

    @Test
    void a_later_store_keeps_the_earlier_one_from_adding_a_block() throws Exception {
        try (BookKeeperStore first = store();
                BookKeeperStore second = store()) {
            first.fence();
            send(first, 1, 5);
            awaitAcknowledged(first, 5);
            assertThat(second.fence().firstSequence()).isEqualTo(5);
            send(first, 6, 6);
            assertThatThrownBy(() -> awaitAcknowledged(first, 6))
                    .isInstanceOf(IOException.class)
                    .hasMessageMatching("ledger \\d+ takes no block .*");
            assertThatThrownBy(first::fence)
                    .isInstanceOf(FencedException.class)
                    .hasMessageMatching("ledger \\d+ was made by another one");
            assertThat(readBack(second)).isEqualTo(numbers(1, 5));
        }
    }

    /** BookKeeper's autorecovery opens a ledger with recovery if one of its bookies is gone for long. */
    @Test
    void a_ledger_that_no_writer_fenced_is_followed_by_the_next_one() throws Exception {
        try (BookKeeperStore store = store();
                Cluster cluster = new Cluster(properties())) {
            store.fence();
            send(store, 1, 5);
            awaitAcknowledged(store, 5);
            Cluster.close(cluster.open(cluster.ledgers(ring).get(0), true));
            send(store, 6, 6);
            assertThatThrownBy(() -> awaitAcknowledged(store, 6)).isInstanceOf(IOException.class);
            assertThat(store.fence().firstSequence()).isEqualTo(5);
            send(store, 6, 10);
            awaitAcknowledged(store, 10);
            assertThat(readBack(store)).isEqualTo(numbers(1, 10));
        }
    }

    @Test
    void a_ring_that_was_taken_over_gets_no_block_from_anybody() throws Exception {
        try (BookKeeperStore first = store();
                BookKeeperStore other = store()) {
            first.fence();
            send(first, 1, 5);
            awaitAcknowledged(first, 5);
            other.takeOver();
            send(first, 6, 6);
            assertThatThrownBy(() -> awaitAcknowledged(first, 6)).isInstanceOf(IOException.class);
            assertThatThrownBy(first::fence).isInstanceOf(RefusedException.class);
            other.takeOver();
            assertThat(readBack(other)).isEqualTo(numbers(1, 5));
        }
        try (BookKeeperStore again = store()) {
            assertThatThrownBy(again::fence)
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("its records were recovered elsewhere, and ledger ");
        }
    }

    @Test
    void one_of_three_bookies_may_die_and_one_alone_takes_nothing() throws Exception {
        try (BookKeeperStore store = store()) {
            store.fence();
            send(store, 1, 5);
            awaitAcknowledged(store, 5);
            bookies.kill(0);
            send(store, 6, 10);
            awaitAcknowledged(store, 10);
            bookies.kill(1);
            send(store, 11, 11);
            assertThatThrownBy(() -> awaitAcknowledged(store, 11))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("takes no block");
            bookies.awaitAvailable(1);
            bookies.startAgain(0);
            bookies.startAgain(1);
            bookies.awaitAvailable(3);
            CopyBlock last = store.fence();
            // Whether the last block came through, nobody knows.
            assertThat(last.firstSequence()).isBetween(10L, 11L);
            assertThat(readBack(store)).isEqualTo(numbers(1, last.firstSequence()));
        }
    }

    @Test
    void with_two_bookies_both_have_each_block() throws Exception {
        bookies.kill(2);
        bookies.awaitAvailable(2);
        try (BookKeeperStore store = store()) {
            store.fence();
            assertThat(store.place()).hasToString("disk of 2 of 2 bookies");
            send(store, 1, 5);
            awaitAcknowledged(store, 5);
            bookies.startAgain(2);
            bookies.awaitAvailable(3);
            bookies.kill(1);
            bookies.awaitAvailable(2);
            assertThat(store.fence().firstSequence()).isEqualTo(5);
            send(store, 6, 10);
            awaitAcknowledged(store, 10);
            bookies.startAgain(1);
            bookies.awaitAvailable(3);
            assertThat(readBack(store)).isEqualTo(numbers(1, 10));
        }
    }

    /**
     * Threads of the client that stay would keep the JVM alive. Some of them may end before the close waits for them.
     */
    @RepeatedTest(10)
    void the_client_is_closed_though_its_caller_is_interrupted() throws Exception {
        ThreadGroup group = new ThreadGroup("burstlog-copier");
        List<Throwable> failures = new ArrayList<>();
        Thread copier = new Thread(group, () -> {
            try (BookKeeperStore store = store()) {
                store.fence();
                assertThat(stayingThreads(group)).isNotEmpty();
                Thread.currentThread().interrupt();
            } catch (Throwable failure) {
                failures.add(failure);
            }
            if (!Thread.currentThread().isInterrupted()) {
                failures.add(new AssertionError("the interrupt is lost"));
            }
        });
        copier.setDaemon(true);
        copier.start();
        copier.join();
        assertThat(failures).isEmpty();
        for (long begin = System.nanoTime(); !stayingThreads(group).isEmpty(); Thread.sleep(20)) {
            assertThat(System.nanoTime() - begin)
                    .as("%s", stayingThreads(group))
                    .isLessThan(LONG_ENOUGH_NANOS);
        }
    }

    private static List<Thread> stayingThreads(ThreadGroup group) {
        Thread[] all = new Thread[1000];
        int count = group.enumerate(all);
        return Stream.of(all).limit(count).filter(each -> !each.isDaemon()).toList();
    }

    @Test
    void a_metadata_store_that_does_not_answer_is_named() {
        String uri = "zk+hierarchical://127.0.0.1:1/ledgers";
        try (BookKeeperStore store = store("metadataServiceUri", uri, "zkTimeout", "1000")) {
            assertThatThrownBy(store::fence)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the metadata store " + uri + " does not answer");
        }
    }

    @Test
    void a_block_that_no_bookie_takes_is_refused() throws Exception {
        try (BookKeeperStore store = store("nettyMaxFrameSizeBytes", "1080")) {
            store.fence();
            assertThatThrownBy(() -> send(store, 7, 7))
                    .isInstanceOf(RefusedException.class)
                    .hasMessage("a block of 64 bytes, from sequence 7 on, is longer than the entries of a bookie, which"
                            + " have 56 at most: raise nettyMaxFrameSizeBytes in the bookies and here");
        }
    }

    @Test
    void a_uri_that_is_none_is_refused_at_once() {
        assertThatThrownBy(() -> store("metadataServiceUri", "zk-1:2181"))
                .isInstanceOf(BurstException.class)
                .hasMessage("metadataServiceUri=\"zk-1:2181\" cannot be used; set it to"
                        + " zk+hierarchical://HOST:PORT/ledgers, as the bookies have it.");
        assertThatThrownBy(() -> new BookKeeperStore(ring, Map.of()))
                .hasMessage("metadataServiceUri is missing; set it to zk+hierarchical://HOST:PORT/ledgers, as the"
                        + " bookies have it.");
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import static io.burstlog.copy.CopyRig.LONG_ENOUGH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstException;
import io.burstlog.copy.BurstCopier.State;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(240)
class BurstCopierTest {

    @TempDir
    Path folder;

    private CopyRig rig() {
        return new CopyRig(folder, new MemoryCopy(1));
    }

    private static List<Long> upTo(long last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }

    @Test
    void aRecordThatWasAwaitedIsInTheCopy() {
        try (CopyRig rig = rig().open()) {
            for (int i = 1; i <= 500; i++) {
                long sequence = rig.append("order " + i);
                assertThat(rig.log.awaitCopied(sequence, LONG_ENOUGH)).isTrue();
                assertThat(rig.servers
                                .blocks()
                                .get(rig.servers.blocks().size() - 1)
                                .lastSequence())
                        .isEqualTo(sequence);
            }
            assertThat(rig.copier.stats().copiedSequence()).isEqualTo(500);
            assertThat(rig.servers.blocks().get(0)).hasToString("mark 1 of ring " + rig.log.ringId());
            assertThat(rig.copied()).isEqualTo(upTo(500));
            rig.awaitEvent("copy B of ring " + folder.resolve("orders.ring")
                    + " is in memory of 2 of 3 servers, and goes on" + " with record 1");
        }
    }

    @Test
    void aLongRecordMakesNoOtherBlockLong() {
        CopyRig rig = rig();
        rig.settings().blockBytes(4096);
        try (rig) {
            rig.openLog();
            rig.append("order".repeat(4000));
            for (int i = 1; i <= 100; i++) {
                rig.append("order " + i);
            }
            rig.start();
            assertThat(rig.log.awaitCopied(101, LONG_ENOUGH)).isTrue();
            assertThat(rig.copied()).isEqualTo(upTo(101));
            assertThat(rig.servers.blocks())
                    .filteredOn(block -> block.lastSequence() > 1)
                    .allMatch(block -> block.bytes().length < 4096 + 1024);
        }
    }

    @Test
    void noBlockIsLongerThanTheStoreTakes() {
        CopyRig rig = rig();
        rig.servers.mostBlockBytes = 8192;
        try (rig) {
            rig.openLog();
            for (int i = 1; i <= 100; i++) {
                rig.append("order".repeat(200));
            }
            rig.start();
            assertThat(rig.log.awaitCopied(100, LONG_ENOUGH)).isTrue();
            assertThat(rig.copied()).isEqualTo(upTo(100));
            assertThat(rig.servers.blocks()).allMatch(block -> block.bytes().length <= 8192);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aListenerThatThrowsDoesNotEndTheCopy(boolean isError) {
        CopyRig rig = rig();
        rig.settings().listener(event -> {
            if (isError) {
                throw new AssertionError("of the listener");
            }
            throw new IllegalStateException("of the listener");
        });
        try (rig) {
            rig.open();
            assertThat(rig.log.awaitCopied(rig.append("order 1"), LONG_ENOUGH)).isTrue();
            rig.servers.failAtSend(1);
            assertThat(rig.log.awaitCopied(rig.append("order 2"), LONG_ENOUGH)).isTrue();
            assertThat(rig.copied()).isEqualTo(upTo(2));
        }
    }

    /** The first failure of the store meets another one while its sentence is made. */
    private CopyRig rigWhoseFailureCannotBeTold(Error met) {
        CopyRig rig = rig();
        AtomicBoolean isSecond = new AtomicBoolean();
        rig.settings().store(() -> {
            if (isSecond.getAndSet(true)) {
                return rig.servers.open();
            }
            throw new IllegalStateException() {
                @Override
                public String getMessage() {
                    throw met;
                }
            };
        });
        return rig.open();
    }

    @Test
    void anErrorWhileAFailureIsToldEndsTheCopyAndNobodyWaitsForIt() {
        try (CopyRig rig = rigWhoseFailureCannotBeTold(new AssertionError("of the sentence"))) {
            rig.awaitState(State.FAILED);
            long sequence = rig.append("order 1");
            assertThatThrownBy(() -> rig.log.awaitCopied(sequence, LONG_ENOUGH)).isInstanceOf(BurstException.class);
            rig.awaitEvent("gets no records any more: of the sentence");
        }
    }

    @Test
    void aLackOfMemoryWhileAFailureIsToldDoesNotEndTheCopy() {
        try (CopyRig rig = rigWhoseFailureCannotBeTold(new OutOfMemoryError("of the sentence"))) {
            assertThat(rig.log.awaitCopied(rig.append("order 1"), LONG_ENOUGH)).isTrue();
            rig.awaitEvent("gets no records: of the sentence; the copier tries again");
        }
    }

    @Test
    void theCloseOfTheLogWaitsForTheCopy() {
        CopyRig rig = rig();
        rig.servers.pipelined(100);
        rig.open();
        for (int i = 1; i <= 5000; i++) {
            rig.log.enqueue("order\n".getBytes());
        }
        rig.close();
        assertThat(rig.copied()).isEqualTo(upTo(5000));
        assertThat(rig.copier.stats().state()).isEqualTo(State.CLOSED);
    }

    @Test
    void afterEachFailureTheCopyGoesOnBehindItsLastRecord() {
        for (int seed = 0; seed < 10; seed++) {
            Path apart = folder.resolve("ring" + seed);
            try (CopyRig rig = new CopyRig(apart, new MemoryCopy(seed).pipelined(seed % 5)).open()) {
                for (int i = 1; i <= 200; i++) {
                    if (i % 50 == 0) {
                        rig.servers.failAtSend(1 + seed % 3);
                    }
                    rig.append("order " + i);
                }
                assertThat(rig.log.awaitCopied(200, LONG_ENOUGH)).isTrue();
                assertThat(rig.copied()).isEqualTo(upTo(200));
                assertThat(rig.copier.stats().missing()).isZero();
            }
        }
    }

    @Test
    void aLateWordOfAFailedSessionConfirmsNothing() {
        try (CopyRig rig = new CopyRig(folder, new MemoryCopy(3).pipelined(10)).open()) {
            rig.awaitState(State.COPYING);
            rig.servers.goAwayAtSend(1);
            rig.append("order 1");
            CopyRig.until(() -> rig.copier.stats().failures() > 0);
            rig.servers.acknowledgeLate();
            assertThat(rig.log.copiedSequence()).isZero();
            rig.servers.setReachable(true);
            assertThat(rig.log.awaitCopied(1, LONG_ENOUGH)).isTrue();
        }
    }

    @Test
    void callsWaitForACopyThatCannotBeReached() {
        CopyRig rig = rig();
        rig.servers.setReachable(false);
        rig.open();
        long sequence = rig.append("order 1");
        assertThat(rig.log.awaitCopied(sequence, Duration.ofMillis(300))).isFalse();
        rig.awaitEvent("WARN copy B of ring " + folder.resolve("orders.ring")
                + " gets no records: the copy in memory cannot be reached; the copier tries again");
        assertThat(rig.copier.failure())
                .hasValueSatisfying(met -> assertThat(met).hasMessageContaining("reached"));
        rig.servers.setReachable(true);
        assertThat(rig.log.awaitCopied(sequence, LONG_ENOUGH)).isTrue();
        rig.awaitEvent("WARN copy B of ring " + folder.resolve("orders.ring") + " is in memory of 2 of 3 servers");
        assertThat(rig.copier.failure()).isEmpty();
        rig.close();
    }

    @Test
    void whoeverDegradesWaitsForNoCopyThatIsAwayAndHearsWhatItLacks() {
        CopyRig rig = rig().degrade();
        rig.servers.setReachable(false);
        rig.open();
        rig.awaitState(State.AWAY);
        long sequence = rig.append("order 1");
        assertThatThrownBy(() -> rig.log.awaitCopied(sequence, LONG_ENOUGH))
                .isInstanceOfSatisfying(
                        BurstException.class, away -> assertThat(away.code()).isEqualTo(BurstException.Code.COPY_AWAY));
        assertThat(rig.log.awaitDrained(LONG_ENOUGH)).isTrue();
        rig.servers.setReachable(true);
        rig.awaitState(State.COPYING);
        assertThat(rig.copier.stats().missing()).isEqualTo(1);
        rig.awaitEvent("records 1 to 1 are not in it");
        long second = rig.append("order 2");
        assertThat(rig.log.awaitCopied(second, LONG_ENOUGH)).isTrue();
        assertThatThrownBy(() -> rig.log.awaitCopied(sequence, LONG_ENOUGH)).hasMessageContaining("one copy only");
        assertThat(rig.copied()).containsExactly(2L);
        rig.close();
    }

    /**
     * The store fails at one of the first sends behind the mark that notes a gap. At the first the mark is the newest.
     */
    @Test
    void aGapIsNamedOnceThoughTheStoreFailsRightBehindItsMark() {
        for (int send = 2; send <= 5; send++) {
            CopyRig rig = new CopyRig(folder.resolve("ring" + send), new MemoryCopy(send).losingAll()).openLog();
            rig.log.copyFeed().away();
            rig.append("order 1");
            assertThat(rig.log.awaitDrained(LONG_ENOUGH)).isTrue();
            rig.servers.failAtSend(send);
            rig.start();
            rig.awaitState(State.COPYING); // until then the copy is away, and no call waits for it
            for (int i = 2; i <= 6; i++) {
                assertThat(rig.log.awaitCopied(rig.append("order " + i), LONG_ENOUGH))
                        .isTrue();
            }
            assertThat(rig.copier.stats().failures()).isEqualTo(1);
            rig.close();
            assertThat(rig.named()).containsExactly(1L);
            assertThat(rig.events).noneMatch(text -> text.contains("are void"));
            assertThat(rig.copier.stats().missing()).isEqualTo(1);
            assertThat(rig.log.stats().copy().recordsMissing()).isEqualTo(1);
        }
    }

    @Test
    void theRecordsThatTheCopyLacksAreExactlyThoseThatWereNamed() {
        Random random = new Random(5);
        MemoryCopy servers = new MemoryCopy(5).pipelined(3);
        Set<Long> named = new TreeSet<>();
        Set<Long> copied = new TreeSet<>();
        long last = 0;
        for (int round = 0; round < 6; round++) {
            CopyRig rig = new CopyRig(folder, servers).degrade().open();
            for (int i = 0; i < 300; i++) {
                if (random.nextInt(30) == 0) {
                    servers.setReachable(random.nextBoolean());
                }
                last = rig.append("order");
                if (random.nextInt(10) == 0 && rig.isCopied(last)) {
                    copied.add(last);
                }
                if (random.nextInt(50) == 0) {
                    rig.log.awaitDrained(Duration.ofMillis(50));
                }
            }
            servers.setReachable(true);
            // COPYING alone may be the state of a moment ago: a close then waits for no copy, and nobody names the
            // rest.
            do {
                last = rig.append("order");
            } while (!rig.isCopied(last));
            rig.close();
            named.addAll(rig.named());
        }
        List<Long> inCopy = CopiedSequences.of(servers.blocks());
        assertThat(inCopy).isSorted().doesNotHaveDuplicates().containsAll(copied);
        Set<Long> lacking = new TreeSet<>(upTo(last));
        inCopy.forEach(lacking::remove);
        assertThat(lacking).isEqualTo(named).isNotEmpty();
        assertThat(copied).isNotEmpty();
    }

    @Test
    void aCopierThatWasFencedEndsAndNobodyWaitsForIt() {
        CopyRig rig = rig().open();
        assertThat(rig.log.awaitCopied(rig.append("order 1"), LONG_ENOUGH)).isTrue();
        try (CopyStore other = rig.servers.open()) {
            assertThat(other.fence().lastSequence()).isEqualTo(1);
        } catch (Exception impossible) {
            throw new AssertionError(impossible);
        }
        rig.awaitState(State.FAILED);
        long sequence = rig.append("order 2");
        assertThatThrownBy(() -> rig.log.awaitCopied(sequence, LONG_ENOUGH)).isInstanceOf(BurstException.class);
        rig.awaitEvent("ERROR copy B of ring " + folder.resolve("orders.ring")
                + " gets no records any more: the copy in memory has another writer; records have one copy only, so end"
                + " this program if another host took over its work");
        rig.close();
        assertThat(rig.copied()).containsExactly(1L);
    }

    @Test
    void aPlaceThatIsTooWeakIsRefused() {
        CopyRig rig = rig();
        rig.settings().atLeast(CopyPlace.parse("disk of 2"));
        rig.open();
        rig.awaitEvent("gets no records any more: it is in memory of 2 of 3 servers, and atLeast asks for disk of 2");
        assertThat(rig.servers.blocks()).isEmpty();
        rig.close();
    }

    @Test
    void theCopyOfAnotherRingIsLeftAlone() throws Exception {
        CopyRig rig = rig();
        CopyStore store = rig.servers.open();
        store.fence();
        store.send(CopyBlock.mark(RingRecords.RING, 9, 4), () -> {});
        store.check();
        rig.open();
        rig.awaitEvent("it holds the copy of another ring, " + RingRecords.RING);
        assertThat(rig.servers.blocks()).hasSize(1);
        rig.close();
    }

    /** In the second round the copy's newest block is a mark. */
    @Test
    void aRingThatComesBackWithoutRecordsThatItHadIsRefused() throws Exception {
        for (boolean isMark : new boolean[] {false, true}) {
            Path apart = Files.createDirectory(folder.resolve("mark " + isMark));
            Path ring = apart.resolve("orders.ring");
            Path older = apart.resolve("older");
            CopyRig rig = new CopyRig(apart, new MemoryCopy(1)).open();
            for (int i = 1; i <= 3; i++) {
                assertThat(rig.log.awaitCopied(rig.append("order " + i), LONG_ENOUGH))
                        .isTrue();
                if (i == 1) {
                    Files.copy(ring, older);
                }
            }
            rig.close();
            if (isMark) {
                rig.open().awaitState(State.COPYING);
                rig.close();
            }
            int blocks = rig.servers.blocks().size();
            assertThat(rig.servers.blocks().get(blocks - 1).isMark()).isEqualTo(isMark);
            Files.copy(older, ring, StandardCopyOption.REPLACE_EXISTING);
            rig.openLog().log.close(Duration.ofSeconds(1)); // else the mark is of the epoch that begins now
            rig.open();
            rig.awaitEvent("ERROR copy B of ring " + ring + " gets no records any more: ring " + ring
                    + " has lost records 2 to " + (isMark ? 3 : 2)
                    + ", which were durable in it when copy B got record 3:"
                    + " recover them from the copy, and go on with a new ring");
            assertThat(rig.copied()).isEqualTo(upTo(3));
            assertThat(rig.servers.blocks()).hasSize(blocks);
            rig.close();
        }
    }

    @Test
    void aRecordLongerThanABlockHasABlockForItself() {
        CopyRig rig = rig();
        rig.settings().blockBytes(4096);
        rig.open();
        rig.append("x".repeat(100_000));
        assertThat(rig.log.awaitCopied(rig.append("short"), LONG_ENOUGH)).isTrue();
        assertThat(rig.copied()).isEqualTo(upTo(2));
        rig.close();
    }

    /** The interrupt comes while the copier waits for records, which does not notice it. */
    @Test
    void theStoreIsClosedByAThreadThatIsNotInterrupted() {
        CopyRig rig = rig();
        List<Boolean> interrupts = new CopyOnWriteArrayList<>();
        rig.settings().store(() -> {
            CopyStore store = rig.servers.open();
            return (CopyStore) Proxy.newProxyInstance(
                    CopyStore.class.getClassLoader(), new Class<?>[] {CopyStore.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            interrupts.add(Thread.currentThread().isInterrupted());
                        }
                        return method.invoke(store, arguments);
                    });
        });
        rig.open();
        assertThat(rig.log.awaitCopied(rig.append("order 1"), LONG_ENOUGH)).isTrue();
        rig.copier.close(Duration.ofNanos(1));
        rig.awaitState(State.CLOSED);
        CopyRig.until(() -> !interrupts.isEmpty());
        assertThat(interrupts).containsExactly(false);
        rig.log.close(LONG_ENOUGH);
    }

    @Test
    void aCopierEndsWhileItsStoreCannotBeReached() throws Exception {
        CopyRig rig = rig();
        rig.servers.setReachable(false);
        rig.open();
        rig.awaitState(State.AWAY);
        CompletableFuture.runAsync(() -> rig.copier.close(Duration.ofSeconds(60)))
                .get(30, TimeUnit.SECONDS);
        assertThat(rig.copier.stats().state()).isEqualTo(State.CLOSED);
        rig.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Which heads anchors are asked for. */
class AnchorsTest {

    private final MemoryDisk disk = new MemoryDisk();
    private final BlockingQueue<Long> asked = new LinkedBlockingQueue<>();
    private final List<String> told = new CopyOnWriteArrayList<>();

    private final Anchor anchor = new Anchor() {
        @Override
        public String name() {
            return "notary";
        }

        @Override
        public byte[] confirm(Checkpoint head, ArchiveReader archive) throws IOException {
            asked.add(head.size());
            if (head.size() == 2) {
                throw new IOException("the notary is away");
            }
            return "seen".getBytes(UTF_8);
        }
    };

    private Anchors anchors() {
        return new Anchors(
                disk, List.of(anchor), new Sealing(List.of("notary"), 100, 3_600), each -> told.add(each.text()));
    }

    private static List<Checkpoint> heads(int... sizes) throws IOException {
        List<Checkpoint> heads = new ArrayList<>();
        try (ArchiveWriter writer = Written.open(new MemoryDisk())) {
            for (int size : sizes) {
                while (writer.size() < size) {
                    writer.append(Written.leaf(writer.size(), 1), Written.payload(writer.size()));
                }
                heads.add(writer.commit());
            }
        }
        return heads;
    }

    private long next() throws InterruptedException {
        Long size = asked.poll(60, TimeUnit.SECONDS);
        assertThat(size).isNotNull();
        return size;
    }

    private static void awaitKept(Anchors anchors, long size) throws Exception {
        while (anchors.stats().get(0).leaves() < size) {
            Thread.sleep(1);
        }
    }

    @Test
    void anAnchorIsAskedAtTheBeginningBehindHalfOfThePromiseAndAtTheEnd() throws Exception {
        List<Checkpoint> heads = heads(1, 40, 60, 80, 90);
        try (Anchors anchors = anchors()) {
            anchors.tell(heads.get(0));
            assertThat(next()).isEqualTo(1);
            awaitKept(anchors, 1);
            anchors.tell(heads.get(1));
            anchors.tell(heads.get(2));
            assertThat(next()).isEqualTo(60);
            awaitKept(anchors, 60);
            anchors.tell(heads.get(3));
            anchors.tell(heads.get(4));
        }
        assertThat(asked).containsExactly(90L);
        assertThat(Anchors.kept(disk, "notary")).containsExactly(1L, 60L, 90L);
        assertThat(new String(disk.read(Anchors.headName("notary", 60)), UTF_8))
                .isEqualTo(heads.get(2).toString());
        assertThat(told).isEmpty();
        asked.clear();
        try (Anchors again = anchors()) {
            again.tell(heads.get(4));
        }
        assertThat(asked).as("a head that is confirmed").isEmpty();
    }

    @Test
    void aFailureIsToldOnceAndItsEndToo() throws Exception {
        List<Checkpoint> heads = heads(2, 3);
        try (Anchors anchors = anchors()) {
            anchors.tell(heads.get(0));
            assertThat(next()).isEqualTo(2);
            assertThat(next()).isEqualTo(2);
            anchors.tell(heads.get(1));
            awaitKept(anchors, 3);
        }
        assertThat(told)
                .containsExactly(
                        "the anchor notary does not confirm the head of " + disk
                                + " with 2 leaves: the notary is away; it is asked again",
                        "the anchor notary confirms heads of " + disk + " again");
    }

    /** Neither while it is asked, nor while that is told. */
    @Test
    void aLackOfMemoryEndsNoAnchor() throws Exception {
        AtomicInteger tried = new AtomicInteger();
        AtomicInteger heard = new AtomicInteger();
        Anchor lacking = new Anchor() {
            @Override
            public String name() {
                return "notary";
            }

            @Override
            public byte[] confirm(Checkpoint head, ArchiveReader archive) {
                if (tried.incrementAndGet() <= 2) {
                    throw new OutOfMemoryError("no room for an answer");
                }
                return "seen".getBytes(UTF_8);
            }
        };
        Consumer<BurstEvent> listener = event -> {
            if (heard.incrementAndGet() == 1) {
                throw new OutOfMemoryError("no room for a sentence");
            }
            told.add(event.text());
        };
        try (Anchors anchors =
                new Anchors(disk, List.of(lacking), new Sealing(List.of("notary"), 100, 3_600), listener)) {
            anchors.tell(heads(3).get(0));
            awaitKept(anchors, 3);
        }
        assertThat(told)
                .containsExactly(
                        "the anchor notary does not confirm the head of " + disk
                                + " with 3 leaves: no room for an answer; it is asked again",
                        "the anchor notary confirms heads of " + disk + " again");
    }
}

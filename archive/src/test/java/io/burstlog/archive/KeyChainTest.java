// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each key counts as long as it is in force: somebody may have stolen one that was retired. */
class KeyChainTest {

    private static final VerifierKey FIRST = Written.key(1).verifier();
    private static final VerifierKey SECOND = Written.key(2).verifier();

    private final MemoryDisk disk = new MemoryDisk();
    private Checkpoint before;
    private Checkpoint both;
    private Checkpoint after;

    @BeforeEach
    void rotate() throws IOException {
        try (ArchiveWriter writer = Written.open(disk)) {
            Written.append(writer, 300, 100);
            before = writer.head();
            both = writer.rotate(Written.key(2), disk.kept());
            Written.append(writer, 500, 100);
            after = writer.head();
        }
    }

    private static List<Finding> verify(Disk disk, List<VerifierKey> keys, Checkpoint... known) throws IOException {
        Verification verification = Verification.of(disk).threads(1);
        keys.forEach(verification::key);
        List.of(known).forEach(verification::known);
        return verification.run().findings();
    }

    private static Checkpoint signedBy(int key, Checkpoint head) {
        return Checkpoint.sign(head.origin(), head.size(), head.root(), List.of(Written.key(key)));
    }

    @Test
    void theKeysAreFollowedFromEachOfThem() throws IOException {
        assertThat(verify(disk, List.of(FIRST), before, both, after)).isEmpty();
        assertThat(verify(disk, List.of(FIRST, SECOND), before, both, after)).isEmpty();
        assertThat(verify(disk, List.of(SECOND), both, after)).isEmpty();
    }

    @Test
    void aHeadOfARetiredKeyCountsForNothing() throws IOException {
        for (Checkpoint each : List.of(both, after)) {
            assertThat(verify(disk, List.of(FIRST), signedBy(1, each)))
                    .singleElement()
                    .satisfies(found -> assertThat(found.sentence()).contains("is not signed by the key in force"));
        }
        disk.put(Tiles.CHECKPOINT, signedBy(1, after).toString().getBytes(UTF_8));
        for (List<VerifierKey> each : List.of(List.of(FIRST), List.of(SECOND), List.of(FIRST, SECOND))) {
            assertThat(verify(disk, each)).extracting(Finding::kind).containsExactly(Finding.Kind.HEAD);
        }
    }

    @Test
    void aKeyThatIsToComeSignsNothingYet() throws IOException {
        assertThat(verify(disk, List.of(FIRST), signedBy(2, before))).hasSize(1);
    }

    @Test
    void aRetiredKeyCannotNameAThirdOne() throws IOException {
        Checkpoint third;
        try (ArchiveWriter writer = Written.open(disk, Written.key(2), Written.NO_FENCE)) {
            third = writer.rotate(Written.key(3), disk.kept());
        }
        Checkpoint forged =
                Checkpoint.sign(third.origin(), third.size(), third.root(), List.of(Written.key(1), Written.key(3)));
        disk.put(Tiles.keyHead(third.size()), forged.toString().getBytes(UTF_8));
        assertThat(verify(disk, List.of(FIRST)))
                .anySatisfy(each -> assertThat(each.sentence()).contains("is not signed by the key before, " + SECOND));
    }

    /** With the first key alone nobody can see it: the page says so. */
    @Test
    void anotherHistoryOfARetiredKeyIsFoundByTheKeyThatFollowedIt() throws IOException {
        MemoryDisk other = Written.archive(400, 100);
        assertThat(verify(other, List.of(FIRST))).isEmpty();
        for (List<VerifierKey> each : List.of(List.of(SECOND), List.of(FIRST, SECOND))) {
            assertThat(verify(other, each))
                    .anySatisfy(found -> assertThat(found.sentence()).contains("signs no head here"));
        }
        assertThat(verify(other, List.of(FIRST), both)).isNotEmpty();
    }
}

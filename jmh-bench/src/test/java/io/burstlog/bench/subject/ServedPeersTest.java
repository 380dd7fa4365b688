// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class ServedPeersTest {

    private static final int MESSAGES = 20;

    /** It answers as serve.h does, and writes a farewell when its input ends. */
    private static final String STAND_IN = """
            while read -r line; do
              for i in $(seq "${line%%[!0-9]*}" 2>/dev/null || echo 1); do printf '\\001\\000\\000\\000\\000\\000\\000\\000'; done
            done
            echo farewell >"$1"
            """;

    @TempDir
    private Path directory;

    private Media media;

    /** Those whose compilation takes seconds are built by scripts/bench/all only. */
    @BeforeAll
    static void buildThoseWhoseLibraryIsHere() throws Exception {
        Programs.run("../scripts/lib/build_peers", "target/peers", "sqlite", "rocksdb", "postgres");
    }

    @BeforeEach
    void makeMedia() throws Exception {
        media = new Media(new Options(List.of(
                "--dir",
                directory.resolve("run").toString(),
                "--memory",
                directory.resolve("memory").toString())));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"quill-flush", "quill-fsync", "spdlog-flush", "rocksdb-sync", "sqlite-full", "postgres-commit"})
    void allMessagesAreThereAfterAClose(String name) throws Exception {
        try (Targets targets = new Targets(media)) {
            write(open(name, targets));
        }

        assertThat(ServedPeers.found(name, media)).isEqualTo(MESSAGES);
    }

    /** Those of a page cache, too: it outlives the process. */
    @ParameterizedTest
    @ValueSource(
            strings = {"quill-flush", "quill-fsync", "spdlog-flush", "rocksdb-sync", "sqlite-full", "postgres-commit"})
    void allMessagesAreThereAfterAKill(String name) throws Exception {
        Target target = open(name, new Targets(media));
        write(target);
        target.kill();

        assertThat(ServedPeers.found(name, media)).isEqualTo(MESSAGES);
    }

    @Test
    void aPeerThatIsKilledSaysNoFarewellAndOneThatIsClosedDoes() throws Exception {
        Path farewell = directory.resolve("farewell");

        standIn(farewell).kill();
        assertThat(farewell).doesNotExist();

        standIn(farewell).close();
        assertThat(farewell).exists();
    }

    @Test
    void aPeerThatIsNotBuiltSaysWhy() throws Exception {
        String before = System.getProperty("bench.peers");
        Path why = Files.writeString(directory.resolve("quill_peer.why"), "there is no quill\n");
        try (Targets targets = new Targets(media)) {
            System.setProperty("bench.peers", directory.toString());
            assertThatThrownBy(() -> targets.open("quill-fsync"))
                    .isInstanceOf(Media.NotPossible.class)
                    .hasMessage("there is no quill");
            Files.delete(why);
            assertThatThrownBy(() -> targets.open("quill-fsync"))
                    .isInstanceOf(Media.NotPossible.class)
                    .hasMessageContaining("scripts/bench/all builds it");
        } finally {
            if (before == null) {
                System.clearProperty("bench.peers");
            } else {
                System.setProperty("bench.peers", before);
            }
        }
    }

    private static Target open(String name, Targets targets) throws Exception {
        try {
            return targets.open(name);
        } catch (Media.NotPossible reason) {
            System.out.println("!!!! SKIPPED: " + name + ": " + reason.getMessage());
            assumeTrue(false, reason.getMessage());
            throw reason;
        }
    }

    private Target standIn(Path farewell) throws Exception {
        ServedProgram child = ServedProgram.start(
                "stand-in", List.of("sh", "-c", STAND_IN, "sh", farewell.toString()), directory.resolve("said"));
        Target target = new ServedTarget("stand-in", child, () -> {}, () -> {}, () -> {});
        write(target);
        return target;
    }

    private static void write(Target target) throws Exception {
        target.run(0, new long[0]);
        target.run(0, new long[MESSAGES - 1]);
        target.write(MESSAGES - 1);
        target.settle();
    }
}

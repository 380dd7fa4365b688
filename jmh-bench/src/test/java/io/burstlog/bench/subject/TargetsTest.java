// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TargetsTest {

    private static final int BYTES = 100;
    private static final int MESSAGES = 50;

    @TempDir
    private Path directory;

    private Media media;

    @BeforeEach
    void makeMedia() throws Exception {
        media = new Media(new Options(List.of(
                "--dir",
                directory.resolve("run").toString(),
                "--memory",
                directory.resolve("memory").toString(),
                "--bytes",
                "" + BYTES)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java-jni@ssd",
                "java-jna@ssd",
                "log4j-burst@ssd",
                "log4j-burst-enqueued@ssd",
                "log4j-raf-flush",
                "log4j-raf-buffered",
                "log4j-file-flush",
                "log4j-file-buffered",
                "log4j-mmap-flush",
                "log4j-mmap-buffered",
                "log4j-async-raf",
                "log4j-force",
                "logback-flush",
                "logback-buffered",
                "file-force",
                "file-rwd"
            })
    void everyTargetLeavesTheSameBytes(String name) throws Exception {
        try (Targets targets = new Targets(media)) {
            write(targets.open(name));
        }

        Path log = media.file(Study.fileName(name) + ".log");
        assertThat(Files.readAllBytes(log)).hasSize(MESSAGES * BYTES);
        assertThat(Files.readAllLines(log)).hasSize(MESSAGES).containsOnly(Message.text(BYTES));
        assertThat(new Targets(media).found(name)).isEqualTo(MESSAGES);
    }

    /** The appender's drain works by itself. */
    @ParameterizedTest
    @ValueSource(strings = {"java-jni@ssd", "log4j-burst@ssd", "log4j-burst-enqueued@ssd", "log4j-async-raf"})
    void afterSettlingTheLogFileHasAll(String name) throws Exception {
        try (Targets targets = new Targets(media)) {
            write(targets.open(name));

            assertThat(media.file(Study.fileName(name) + ".log")).hasSize(MESSAGES * BYTES);
        }
    }

    /** An unformatted device looks so. */
    @ParameterizedTest
    @ValueSource(strings = {"java-jni", "log4j-burst", "log4j-burst-enqueued", "log4j-burst-rolling"})
    void aRingThatIsRefusedSaysWhyInOneLine(String way) throws Exception {
        try (Targets targets = new Targets(media)) {
            assertThatThrownBy(() -> targets.open(way + "@/dev/null"))
                    .isInstanceOf(Media.NotPossible.class)
                    .message()
                    .contains("ring /dev/null is a character device")
                    .doesNotContain("\n");
        }
    }

    @Test
    void eachDeviceIsForOneRingAndWhatCannotRunIsSkipped() throws Exception {
        Media two = new Media(new Options(List.of("--dir", directory.toString(), "--devices", "/dev/a,/dev/b")));

        assertThat(two.ring("device", "x").path()).hasToString("/dev/a");
        assertThat(two.ring("device", "y").path()).hasToString("/dev/b");
        assertThatThrownBy(() -> two.ring("device", "z"))
                .isInstanceOf(Media.NotPossible.class)
                .hasMessageContaining("in use");
        Study study = new Study("any", "latency", "Any", Map.of());
        try (Targets targets = new Targets(media)) {
            List<Target> open = targets.open(List.of("log4j-burst@device", "file-rwd"), study);
            assertThat(open.stream().map(Target::name)).containsExactly("file-rwd");
        }
        study.write(directory);
        assertThat(directory.resolve("any.json")).content().contains("log4j-burst@device", "there is no fast device");
    }

    @Test
    void closingClearsTheMemoryButNotTheDisk() throws Exception {
        try (Targets targets = new Targets(media)) {
            assertThat(media.ring("mapped", "x").io()).isEqualTo("mapped");
            Files.createFile(media.ring("mapped", "x").path());
            targets.open("file-rwd");
        }

        assertThat(media.memory()).doesNotExist();
        assertThat(media.file("file-rwd.log")).exists();
    }

    @Test
    void anUnknownNameIsRefused() {
        assertThatThrownBy(() -> new Targets(media).open("log4j"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("There is no target \"log4j\"");
        assertThatThrownBy(() -> new Targets(media).open("java@ssd")).hasMessageContaining("\"java@ssd\"");
        assertThatThrownBy(() -> new Targets(media).open("java-jni@nowhere")).hasMessageContaining("\"nowhere\"");
    }

    private static void write(Target target) throws Exception {
        target.run(0, new long[MESSAGES - 1]);
        target.write(MESSAGES - 1);
        target.settle();
    }
}

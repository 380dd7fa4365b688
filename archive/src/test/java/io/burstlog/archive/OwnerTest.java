// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An archive has one archiver, of all processes. */
class OwnerTest {

    private static final String REFUSED = "refused: ";

    @TempDir
    private Path folder;

    private final List<Process> started = new ArrayList<>();

    /** Another process: takes the archive, says so, and keeps it until it is told to end. */
    static final class Another {

        private Another() {}

        public static void main(String[] arguments) throws IOException {
            try (Owner owner = Owner.take(Path.of(arguments[0]))) {
                System.out.println("taken");
                owner.check();
                System.in.read();
            } catch (RefusedException refused) {
                System.out.println(REFUSED + refused.getMessage());
            }
        }
    }

    @BeforeEach
    void putHead() throws IOException {
        Files.createFile(folder.resolve("checkpoint"));
    }

    @AfterEach
    void endProcesses() throws InterruptedException {
        for (Process each : started) {
            each.destroyForcibly();
            each.waitFor(60, TimeUnit.SECONDS);
        }
    }

    private Process start() throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Another.class.getName(),
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        started.add(process);
        return process;
    }

    private static String lineOf(Process process) throws IOException {
        BufferedReader lines = process.inputReader(UTF_8);
        return lines.readLine();
    }

    @Test
    void anotherProcessIsRefusedAndIsNamedToThisOne() throws Exception {
        Process first = start();
        assertThat(lineOf(first)).isEqualTo("taken");
        assertThat(lineOf(start())).startsWith(REFUSED).contains("process " + first.pid());
        assertThatThrownBy(() -> Owner.take(folder))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("process " + first.pid());
        first.destroyForcibly().waitFor();
        Owner.take(folder).close();
    }

    /** The kernel drops a lock when its process closes any descriptor of the file. */
    @Test
    void whoIsRefusedInTheSameProcessDoesNotDropTheLock() throws Exception {
        try (Owner owner = Owner.take(folder)) {
            assertThatThrownBy(() -> Owner.take(folder)).hasMessageContaining("in this process");
            assertThatThrownBy(() -> Owner.take(folder.resolve("../" + folder.getFileName())))
                    .isInstanceOf(RefusedException.class);
            owner.check();
            assertThat(lineOf(start())).startsWith(REFUSED);
        }
        assertThat(lineOf(start())).isEqualTo("taken");
    }

    /** Then it is no archive yet, and whoever archives tries again. */
    @Test
    void anOwnerThatHasSignedNoHeadRefusesNobodyForGood() throws Exception {
        Files.delete(folder.resolve("checkpoint"));
        try (Owner creating = Owner.take(folder)) {
            creating.check();
            assertThatThrownBy(() -> Owner.take(folder))
                    .isNotInstanceOf(RefusedException.class)
                    .hasMessageStartingWith("there is no archive in " + folder + " yet: ")
                    .hasMessageContaining("in this process");
        }
    }

    @Test
    void anOwnerWhoseFileWasReplacedSignsNothing() throws Exception {
        try (Owner owner = Owner.take(folder)) {
            Path file = folder.resolve("owner");
            Path copy = Files.copy(file, folder.resolve("copy"));
            Files.delete(file);
            Files.move(copy, file);
            assertThatThrownBy(owner::check).hasMessageContaining("is not the one");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** Native programs: those that the jar brings, and those of the system. */
public final class Programs {

    private Programs() {}

    /** Writes a program of the jar ({@code burstlog}, {@code append_bench}) to a file in that folder. */
    public static Path unpack(String name, Path folder) throws IOException, Media.NotPossible {
        Path program = folder.resolve(name);
        if (Files.isExecutable(program)) {
            return program;
        }
        try (InputStream packed = Programs.class.getResourceAsStream("/programs/" + name)) {
            if (packed == null) {
                throw new Media.NotPossible("the program " + name + " is not in this jar");
            }
            Files.createDirectories(folder);
            Path whole = Files.createTempFile(
                    folder,
                    name,
                    "",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
            Files.write(whole, packed.readAllBytes());
            return Files.move(whole, program);
        }
    }

    /** Runs it to its end. Its output is shown only if it fails. */
    public static void run(String... command) throws IOException, Media.NotPossible {
        output(List.of(command));
    }

    /** Runs it to its end, and returns what it says on both streams. */
    static String output(List<String> command) throws IOException, Media.NotPossible {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        try {
            if (process.waitFor() != 0) {
                throw new Media.NotPossible(String.join(" ", command) + " failed: " + said);
            }
            return said;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new Media.NotPossible(String.join(" ", command) + " was interrupted", interrupted);
        }
    }
}

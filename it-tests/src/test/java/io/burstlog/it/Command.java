// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.IOException;
import java.util.List;

/** Runs a short command to its end. */
final class Command {
    private Command() {}

    /** Returns its output; fails with that unless the command exits with 0. */
    static List<String> run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> output = process.inputReader().lines().toList();
        int exitCode = process.waitFor();
        if (exitCode != 0) {
            throw new IOException(String.join(" ", command) + " exits with " + exitCode + ": " + output);
        }
        return output;
    }
}

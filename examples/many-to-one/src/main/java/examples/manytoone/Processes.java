// SPDX-License-Identifier: Apache-2.0
package examples.manytoone;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** JVMs with this one's class path. The end kills those that still run. */
final class Processes implements AutoCloseable {
    private final Path folder;
    private final List<Process> started = new ArrayList<>();

    Processes(Path folder) {
        this.folder = folder;
    }

    Path said(String name) {
        return folder.resolve(name + ".out");
    }

    /** Its output is added to NAME.out and NAME.err. */
    Process start(String name, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path")));
        if (Runtime.version().feature() >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(Arrays.asList(arguments));
        Process process = new ProcessBuilder(command)
                .redirectOutput(Redirect.appendTo(said(name).toFile()))
                .redirectError(Redirect.appendTo(folder.resolve(name + ".err").toFile()))
                .start();
        started.add(process);
        return process;
    }

    static void kill(Process process) throws InterruptedException {
        process.toHandle().destroyForcibly();
        process.waitFor();
    }

    @Override
    public void close() {
        started.forEach(process -> process.toHandle().destroyForcibly());
    }
}

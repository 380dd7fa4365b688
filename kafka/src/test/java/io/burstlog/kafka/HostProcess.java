// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An application with a configuration of Log4j, in a JVM with the class path of this one. */
final class HostProcess {

    private HostProcess() {}

    /** What it prints goes to the end of host.out beside the configuration. */
    static Process start(Path configuration, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-Dlog4j2.configurationFile=" + configuration,
                "-cp",
                System.getProperty("java.class.path")));
        String nativeAccess = System.getProperty("native.access", "");
        if (!nativeAccess.isEmpty()) {
            command.add(nativeAccess);
        }
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        configuration.resolveSibling("host.out").toFile()))
                .start();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of a child process that runs one of the commands of the benchmarks, with the rights of this one. */
final class ChildJvm {

    private ChildJvm() {}

    /** The name of the command comes behind it. */
    static List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--"))
                .forEach(command::add);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.burstlog.bench.Main"));
        return command;
    }
}

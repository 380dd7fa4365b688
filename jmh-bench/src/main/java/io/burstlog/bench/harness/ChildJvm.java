// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of a child process in Java, with the rights and the properties of this one. */
public final class ChildJvm {

    private ChildJvm() {}

    /** It runs one of the commands of the benchmarks, whose name comes behind it. */
    public static List<String> command() {
        return command("io.burstlog.bench.Main");
    }

    /** @param main the name of a class */
    public static List<String> command(String main) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--") || flag.startsWith("-Dbench."))
                .forEach(command::add);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        return command;
    }
}

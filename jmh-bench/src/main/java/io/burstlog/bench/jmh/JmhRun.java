// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.jmh;

import io.burstlog.bench.subject.RunFolder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** JMH with all its options. Its forks get the JVM flags that they need, and their remains are removed. */
public final class JmhRun {

    /** The system property with the folder for rings and log files; by default the current folder. */
    static final String FOLDER = "bench.dir";

    private JmhRun() {}

    /**
     * Runs the selected benchmarks.
     *
     * @param flags of the JVM, before those of the user
     * @return the exit code
     */
    public static int run(List<String> flags, String... arguments) throws Exception {
        CommandLineOptions said;
        try {
            said = new CommandLineOptions(arguments);
        } catch (CommandLineOptionException notUnderstood) {
            System.err.println(notUnderstood.getMessage());
            return 2;
        }
        if (said.shouldHelp()
                || said.shouldList()
                || said.shouldListWithParams()
                || said.shouldListProfilers()
                || said.shouldListResultFormats()) {
            org.openjdk.jmh.Main.main(arguments);
            return 0;
        }
        try (RunFolder folder = RunFolder.in(Path.of(System.getProperty(FOLDER, ".")))) {
            List<String> all = new ArrayList<>(flags);
            all.add("-D" + FOLDER + "=" + folder.path());
            all.addAll(said.getJvmArgsPrepend().orElse(List.of()));
            System.setProperty(FOLDER, folder.path().toString()); // with -f 0
            new Runner(new OptionsBuilder()
                            .parent(said)
                            .jvmArgsPrepend(all.toArray(String[]::new))
                            .build())
                    .run();
            return 0;
        } catch (NoBenchmarksException none) {
            System.err.println("No benchmark matches; `-l` lists them, and `help` the studies.");
            return 2;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A JVM that logs into an {@link Installation}; its standard output is a pipe to this process. */
final class ChildJvm {
    private ChildJvm() {}

    static Process start(Installation installation, Class<?> mainClass, String... arguments) throws IOException {
        return start(List.of(), List.of(), installation, mainClass, arguments);
    }

    /** {@code tracer} is a command that gets the JVM's command line as its last arguments. */
    static Process start(
            List<String> tracer,
            List<String> jvmOptions,
            Installation installation,
            Class<?> mainClass,
            String... arguments)
            throws IOException {
        List<String> options = new ArrayList<>(ClassArchive.options());
        options.addAll(jvmOptions);
        return launch(tracer, options, installation, mainClass, arguments);
    }

    /** As {@link #start}, without the archive of classes. */
    static Process launch(
            List<String> tracer,
            List<String> jvmOptions,
            Installation installation,
            Class<?> mainClass,
            String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(tracer);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m", "-cp", classPath(List.of(arguments))));
        // Otherwise the JVM's own messages go to stdout, between the child's. An archive that does not fit is no news.
        command.addAll(List.of("-Xlog:disable", "-Xlog:all=warning,cds*=off:stderr"));
        String nativeAccess = System.getProperty("native.access", "");
        if (!nativeAccess.isEmpty()) {
            command.add(nativeAccess);
        }
        command.addAll(jvmOptions);
        command.add("-Dlog4j2.configurationFile=" + installation.configuration());
        command.add(mainClass.getName());
        command.addAll(List.of(arguments));
        Process child = new ProcessBuilder(command)
                .redirectError(
                        ProcessBuilder.Redirect.appendTo(installation.errors().toFile()))
                .start();
        // A test that fails half-way leaves no process behind that logs for ever.
        Runtime.getRuntime().addShutdownHook(new Thread(child.toHandle()::destroyForcibly));
        return child;
    }

    /** Spring Boot is there only when a test needs it: its mere jar takes Log4j's shutdown hook away. */
    private static String classPath(List<String> arguments) {
        String all = ClassArchive.classPath();
        if (arguments.contains(Logging.Framework.SPRING_BOOT.name())) {
            return all;
        }
        return Arrays.stream(all.split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("spring-"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** SIGKILL, by the handle: {@link Process#destroyForcibly} would also close the pipe and lose its content. */
    static void kill(Process child) throws InterruptedException {
        child.toHandle().destroyForcibly();
        child.waitFor();
    }

    /** SIGTERM; the pipe stays open, as for {@link #kill}. */
    static void terminate(Process child) {
        child.toHandle().destroy();
    }
}

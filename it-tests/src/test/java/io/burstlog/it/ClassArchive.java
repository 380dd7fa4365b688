// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static java.io.File.pathSeparator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * An archive of the classes that child processes load, since most of the time of their start goes into these. The first
 * child makes it. It takes classes of jars alone, so those of this module come from {@code -Dit.jar}; without that
 * there is no archive. A JVM with another class path starts as if there was none.
 */
final class ClassArchive {

    private static final String JAR = System.getProperty("it.jar");
    private static final List<String> OPTIONS = JAR == null ? List.of() : make();

    private ClassArchive() {}

    /** {@return the class path of this process, with a jar in the place of the folder with the classes of tests} */
    static String classPath() {
        String all = System.getProperty("java.class.path");
        return Arrays.stream(all.split(pathSeparator))
                .map(entry -> JAR != null && entry.endsWith("/test-classes") ? JAR : entry)
                .collect(Collectors.joining(pathSeparator));
    }

    /** {@return the options of a JVM that takes its classes from the archive} */
    static List<String> options() {
        return OPTIONS;
    }

    private static List<String> make() {
        try {
            Installation installation = Installation.fresh("class-archive");
            Path archive = installation.directory().resolve("classes.jsa");
            Process child = ChildJvm.launch(
                    List.of(), List.of("-XX:ArchiveClassesAtExit=" + archive), installation, LogsToEach.class, "it");
            boolean isMade = child.waitFor(2, TimeUnit.MINUTES) && Files.exists(archive);
            return isMade ? List.of("-XX:SharedArchiveFile=" + archive) : List.of();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}

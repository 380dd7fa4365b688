// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests Log4j, Logback and {@code java.util.logging} in one application, for each way of packing an application. */
@Timeout(180)
class DoorsIT {

    private static final int THREADS = 2;
    private static final int LINES = 300;
    private static final List<String> ALL_DONE = List.of("done", "done", "done");

    private static List<String> lines(Path folder, String file) throws IOException {
        return Files.readAllLines(folder.resolve(file));
    }

    private static List<String> rings(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".ring"))
                    .toList();
        }
    }

    @Test
    void allThreeWriteToOneRingAndEachLineIsOnceInItsFileAndInOrder() throws Exception {
        Path folder = Installation.emptyDirectory("doors");
        DoorsApplication application = new DoorsApplication();
        application.start(folder, folder.resolve("it.ring"), "");
        List<Thread> threads = new ArrayList<>();
        for (DoorsApplication.Door door : application.doors()) {
            for (int i = 0; i < THREADS; i++) {
                String begin = door.file() + " " + i + " ";
                threads.add(new Thread(() ->
                        IntStream.range(0, LINES).forEach(line -> door.logger().accept(begin + line))));
            }
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        ObjectName ring = new ObjectName("io.burstlog:type=Ring,name=" + ObjectName.quote(folder + "/it.ring"));
        assertThat(ManagementFactory.getPlatformMBeanServer().getAttribute(ring, "AcceptedSequence"))
                .isEqualTo(3L * THREADS * LINES);
        application.stop();
        for (String file : DoorsApplication.FILES) {
            List<String> all = lines(folder, file);
            assertThat(all).hasSize(THREADS * LINES);
            for (int i = 0; i < THREADS; i++) {
                String begin = file + " " + i + " ";
                assertThat(all.stream().filter(line -> line.startsWith(begin)))
                        .containsExactlyElementsOf(IntStream.range(0, LINES)
                                .mapToObj(line -> begin + line)
                                .toList());
            }
        }
        assertThat(rings(folder)).containsExactly("it.ring");
    }

    @Test
    void oneThatSaysSomethingElseIsRefusedAndBothFilesAreNamed() throws Exception {
        Path folder = Installation.emptyDirectory("doors-that-differ");
        DoorsApplication application = new DoorsApplication();
        application.start(folder, folder.resolve("it.ring"), "<drainInterval>60 ms</drainInterval>");
        List<String> said = application.apply("log line").lines().toList();
        application.stop();
        assertThat(said.get(1))
                .contains("as Burst 'Log' of " + folder + "/log4j2.xml says")
                .contains("and Burst 'LOG' of file:" + folder + "/logback.xml says something else")
                .contains("drainInterval is \"50 ms\" there and \"60 ms\" here");
        assertThat(List.of(said.get(0), said.get(2))).containsOnly("done");
        assertThat(lines(folder, "log4j.log")).containsExactly("line");
        assertThat(lines(folder, "jul.log")).containsExactly("line");
        assertThat(folder.resolve("logback.log")).doesNotExist();
    }

    @Test
    void twoApplicationsWithACopyEachLogBesideEachOtherAndOneRingIsRefusedToTheSecond() throws Exception {
        Path first = Installation.emptyDirectory("application-1");
        Path second = Installation.emptyDirectory("application-2");
        List<String> said = run(
                first,
                List.of("-cp", classPath(), TwoApplications.class.getName()),
                first.toString(),
                second.toString());
        assertThat(said.subList(1, 4)).isEqualTo(ALL_DONE);
        assertThat(said.subList(4, 7)).isEqualTo(ALL_DONE);
        assertThat(said.subList(7, 10))
                .allSatisfy(refused -> assertThat(refused)
                        .contains(first + "/it.ring is held by process " + said.get(0) + " (")
                        .contains(", which is this one: "));
        for (String file : DoorsApplication.FILES) {
            assertThat(lines(first, file)).containsExactly("first");
            assertThat(lines(second, file)).containsExactly("second");
        }
    }

    @Test
    void aShadedJarLogs() throws Exception {
        Path folder = Installation.emptyDirectory("shaded-jar");
        assertThatJarLogs(OneJar.shaded(
                folder.resolve("application.jar"), parts(), DoorsApplication.class, UnaryOperator.identity()));
    }

    @Test
    void aShadedJarWithRelocatedClassesLogs() throws Exception {
        Path folder = Installation.emptyDirectory("relocated-jar");
        UnaryOperator<String> rename =
                name -> name.replace("io/burstlog/", "io/relocate/").replace("io.burstlog.", "io.relocate.");
        assertThatJarLogs(OneJar.shaded(folder.resolve("application.jar"), parts(), DoorsApplication.class, rename));
    }

    @Test
    void springBootsExecutableJarLogs() throws Exception {
        Path folder = Installation.emptyDirectory("executable-jar");
        Path launcher;
        try (Stream<Path> jars = Files.list(Path.of(System.getProperty("it.programs"), "spring-boot-loader"))) {
            launcher = jars.findFirst().orElseThrow();
        }
        assertThatJarLogs(
                OneJar.executable(folder.resolve("application.jar"), parts(), launcher, DoorsApplication.class));
    }

    private static void assertThatJarLogs(Path jar) throws Exception {
        Path folder = jar.getParent();
        for (String line : List.of("one", "two")) {
            assertThat(run(folder, List.of("-jar", jar.toString()), folder.toString(), line))
                    .isEqualTo(ALL_DONE);
        }
        for (String file : DoorsApplication.FILES) {
            assertThat(lines(folder, file)).containsExactly("one", "two");
        }
        assertThat(rings(folder)).containsExactly("it.ring");
    }

    /** {@return the lines that the JVM printed} */
    private static List<String> run(Path folder, List<String> options, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        String nativeAccess = System.getProperty("native.access", "");
        if (!nativeAccess.isEmpty()) {
            command.add(nativeAccess);
        }
        command.addAll(options);
        command.addAll(List.of(arguments));
        File errors = folder.resolve("child.err").toFile();
        Process child = new ProcessBuilder(command).redirectError(errors).start();
        List<String> said = child.inputReader().lines().toList();
        assertThat(child.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).as(Files.readString(errors.toPath())).isZero();
        return said;
    }

    /**
     * Returns the entries of the class path that an application of these frameworks has, with the classes of this test.
     */
    private static List<Path> parts() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(part -> part.toString().matches(".*/(burstlog|log4j-|logback-|slf4j-api|jna-)[^/]*\\.jar")
                        || part.toString().endsWith("test-classes")
                        || part.toString().endsWith("target/classes"))
                .filter(Files::exists)
                .toList();
    }

    private static String classPath() {
        return String.join(
                File.pathSeparator, parts().stream().map(Path::toString).toList());
    }
}

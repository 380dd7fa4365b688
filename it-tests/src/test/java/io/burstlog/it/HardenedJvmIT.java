// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** JVMs that may not load native code (docs/deployment.md), or have no place to unpack it to (docs/containers.md). */
@Timeout(120)
class HardenedJvmIT {
    private static final String OURS = System.getProperty("java.home");
    private static final String NO_PLACE = "-Djna.tmpdir=/proc/no-such-place";
    private static final String PROGRAM = LogsToEach.class.getName();

    private Installation installation;
    private String said;

    @Test
    void nativeAccessThatIsDeniedIsSaidFirstWithTheOptionThatAllowsIt() throws Exception {
        String home = homeOfJdk24();
        installation = Installation.fresh("native-access", "ringSize=\"4 MB\" durability=\"process\"");
        assertThat(logs(home, "--illegal-native-access=deny", "-cp", classPath(), PROGRAM))
                .isFalse();
        assertThat(said)
                .contains("This JVM allows JNA, and so Burstlog, no native code; start it with"
                        + " --enable-native-access=ALL-UNNAMED.")
                .doesNotContain("jna.tmpdir");
        assertThat(logs(
                        home,
                        "--illegal-native-access=deny",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        classPath(),
                        PROGRAM))
                .isTrue();
    }

    @Test
    void anExecutableJarNeedsOneLineInItsManifest() throws Exception {
        String home = homeOfJdk24();
        installation = Installation.fresh("executable-jar", "ringSize=\"4 MB\" durability=\"process\"");
        assertThat(logs(home, "--illegal-native-access=deny", "-jar", executableJar(false)))
                .isFalse();
        assertThat(logs(home, "--illegal-native-access=deny", "-jar", executableJar(true)))
                .isTrue();
        assertThat(said).doesNotContain("WARNING");
    }

    @Test
    void withoutAPlaceToUnpackToBothLibrariesCanBeNamed() throws Exception {
        installation = Installation.fresh("nothing-unpacked", "ringSize=\"4 MB\" durability=\"process\"");
        assertThat(logs(OURS, NO_PLACE, "-cp", classPath(), PROGRAM)).isFalse();
        assertThat(said)
                .contains(
                        "JNA cannot load its own native part",
                        "'/proc/no-such-place' does not exist",
                        "name a directory that is writable and not mounted noexec with -Djna.tmpdir");

        String jna = "-Djna.boot.library.path=" + unpacked("jna-", "com/sun/jna/%s/libjnidispatch.so");
        assertThat(logs(OURS, NO_PLACE, "-Djna.nounpack=true", jna, "-cp", classPath(), PROGRAM))
                .isFalse();
        assertThat(said).contains("jna.nounpack is set", "-Dburstlog.library");

        String library = "-Dburstlog.library="
                + unpacked("burstlog-0", "%s/libburstlog.so").resolve("libburstlog.so");
        assertThat(logs(OURS, NO_PLACE, "-Djna.nounpack=true", jna, library, "-cp", classPath(), PROGRAM))
                .isTrue();
        assertThat(said).doesNotContain("JNA");
    }

    @Test
    void aPlaceMountedNoexecIsSaidWithoutTheNameOfTheCopy() throws Exception {
        installation = Installation.fresh("noexec", "ringSize=\"4 MB\" durability=\"process\"");
        Path place = Files.createDirectory(installation.directory().resolve("place"));
        try {
            Command.run("mount", "-t", "tmpfs", "-o", "noexec,size=16m", "tmpfs", place.toString());
        } catch (IOException refused) {
            skip("a place mounted noexec: " + refused.getMessage());
        }
        try {
            String here = "-Djna.tmpdir=" + place;
            assertThat(logs(OURS, here, "-cp", classPath(), PROGRAM)).isFalse();
            assertThat(said)
                    .contains("JNA cannot load its own native part", "not mounted noexec")
                    .doesNotContain(".tmp:");

            String jna = "-Djna.boot.library.path=" + unpacked("jna-", "com/sun/jna/%s/libjnidispatch.so");
            assertThat(logs(OURS, here, jna, "-cp", classPath(), PROGRAM)).isFalse();
            assertThat(said)
                    .contains("The Burstlog library in ", "name a directory that is not mounted noexec")
                    .doesNotContainPattern("jna[0-9]+\\.tmp");
            assertThat(place).isEmptyDirectory();
        } finally {
            Command.run("umount", place.toString());
        }
    }

    /** Says whether the event that it logs has come to the log file. */
    private boolean logs(String home, String... options) throws Exception {
        Files.deleteIfExists(installation.file());
        List<String> command =
                new ArrayList<>(List.of(Path.of(home, "bin", "java").toString()));
        String access = System.getProperty("native.access", "");
        if (!options[0].startsWith("--illegal-native-access") && !access.isEmpty()) {
            command.add(access);
        }
        command.add("-Dlog4j2.configurationFile=" + installation.configuration());
        command.addAll(List.of(options));
        command.add("some.logger");
        Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
        said = child.inputReader().lines().collect(Collectors.joining("\n"));
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return Files.exists(installation.file())
                && Files.readString(installation.file()).equals("order of some.logger\n");
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }

    private String executableJar(boolean allowsNativeAccess) throws Exception {
        Manifest manifest = new Manifest();
        Attributes lines = manifest.getMainAttributes();
        lines.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        lines.put(Attributes.Name.MAIN_CLASS, PROGRAM);
        lines.put(
                Attributes.Name.CLASS_PATH,
                Arrays.stream(classPath().split(File.pathSeparator))
                        .map(entry -> Path.of(entry).toUri().toString())
                        .collect(Collectors.joining(" ")));
        if (allowsNativeAccess) {
            lines.putValue("Enable-Native-Access", "ALL-UNNAMED");
        }
        Path jar = installation.directory().resolve("application.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            out.putNextEntry(new JarEntry("nothing"));
        }
        return jar.toString();
    }

    /** Returns the directory to which it has copied one file of a jar on the class path. */
    private Path unpacked(String jar, String resource) throws Exception {
        String platform = "linux-" + System.getProperty("os.arch").replace("amd64", "x86-64");
        Path directory = Files.createDirectories(installation.directory().resolve("unpacked"));
        assumeTrue(
                Arrays.stream(classPath().split(File.pathSeparator))
                        .anyMatch(entry ->
                                Path.of(entry).getFileName().toString().startsWith(jar) && entry.endsWith(".jar")),
                "runs with the jars");
        try (InputStream in = HardenedJvmIT.class.getResourceAsStream("/" + resource.formatted(platform))) {
            Path file = directory.resolve(Path.of(resource).getFileName().toString());
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        }
        return directory;
    }

    /** Only from JDK 24 on can native access be denied. */
    private static String homeOfJdk24() throws Exception {
        if (Runtime.version().feature() >= 24) {
            return OURS;
        }
        List<String> homes = new ArrayList<>(List.of(System.getenv().getOrDefault("JAVA25_HOME", "")));
        try (Stream<Path> installed = Files.list(Path.of("/usr/lib/jvm"))) {
            installed.map(Path::toString).filter(home -> home.contains("25")).forEach(homes::add);
        } catch (NoSuchFileException noneInstalled) {
            // JAVA25_HOME names it, or there is none.
        }
        return homes.stream()
                .filter(home -> Files.isExecutable(Path.of(home, "bin", "java")))
                .findFirst()
                .orElseGet(() -> skip("native access denied: there is no JDK 25 in JAVA25_HOME or below /usr/lib/jvm"));
    }

    private static String skip(String reason) {
        System.out.println("SKIPPED: HardenedJvmIT: " + reason);
        assumeTrue(false, reason);
        return reason;
    }
}

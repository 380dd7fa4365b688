// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.fix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A JVM with a collector.
 *
 * @param home its directory
 * @param version 17, 25
 * @param collector as -XX:+Use..GC has it
 */
public record Jvm(Path home, int version, String collector) {

    private static final Pattern VERSION = Pattern.compile("(?m)^JAVA_VERSION=\"(\\d+)");
    private static final Path PLACE = Path.of("/usr/lib/jvm");
    private static final int WARNS_OF_NATIVE_CODE = 24;

    /** Small, so that each run has collections within seconds. */
    private static final List<String> HEAP = List.of("-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch");

    /** JVMs by version: the one that runs this, and those where Debian and others install them. */
    public static TreeMap<Integer, Path> homes() throws IOException {
        List<Path> places = new ArrayList<>();
        if (Files.isDirectory(PLACE)) {
            try (Stream<Path> all = Files.list(PLACE)) {
                places.addAll(all.sorted().toList());
            }
        }
        places.add(Path.of(System.getProperty("java.home")));
        TreeMap<Integer, Path> homes = new TreeMap<>();
        for (Path home : places) {
            if (Files.isExecutable(home.resolve("bin/java")) && Files.isReadable(home.resolve("release"))) {
                Matcher version = VERSION.matcher(Files.readString(home.resolve("release")));
                if (version.find()) {
                    homes.put(Integer.parseInt(version.group(1)), home);
                }
            }
        }
        return homes;
    }

    /** Each JDK is built with some collectors only. */
    public boolean hasCollector() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(command());
        command.add("-version");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return process.waitFor() == 0;
    }

    /** The program that starts it. */
    List<String> command() {
        List<String> command = new ArrayList<>(List.of(home.resolve("bin/java").toString()));
        command.addAll(HEAP);
        command.add("-XX:+Use" + collector + "GC");
        if (version >= WARNS_OF_NATIVE_CODE) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        return command;
    }

    @Override
    public String toString() {
        return "JDK " + version + " " + collector;
    }
}

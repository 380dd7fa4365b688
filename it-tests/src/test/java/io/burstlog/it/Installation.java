// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A directory with a ring, a log file and the Log4j configuration that names both. It is below {@code target}: the
 * system's directory for temporary files may be memory, which no ring with {@code durability="power"} accepts.
 */
record Installation(Path directory, Path ring, Path file, Path configuration) {

    /** The ring is so small that a test fills it many times. */
    static Installation fresh(String name) throws IOException {
        return fresh(name, "ringSize=\"4 MB\"");
    }

    static Installation fresh(String name, String attributes) throws IOException {
        Path directory = emptyDirectory(name);
        return configured(directory, directory.resolve("it.ring"), attributes);
    }

    /** The ring is on an existing device. */
    static Installation fresh(String name, Path ring, String attributes) throws IOException {
        return configured(emptyDirectory(name), ring, attributes);
    }

    /** Several log files on one ring: the logger {@code "stream.N"} writes to file number N. */
    static Installation withStreams(String name, int streams) throws IOException {
        return withStreams(name, streams, false);
    }

    /** @param areRolled whether each log file ends after some dozen lines, and is compressed then */
    static Installation withStreams(String name, int streams, boolean areRolled) throws IOException {
        return withStreams(emptyDirectory(name), streams, areRolled, "");
    }

    /** The same, to be drained by {@link ExternalDrain}. */
    static Installation drainedOutside(String name, int streams, boolean areRolled) throws IOException {
        Path directory = emptyDirectory(name);
        Path window = Files.createDirectory(directory.resolve(ExternalDrain.WINDOW));
        return withStreams(directory, streams, areRolled, " drain=\"external\" window=\"" + window + "\"");
    }

    private static Installation withStreams(Path directory, int streams, boolean areRolled, String ofRing)
            throws IOException {
        Path ring = directory.resolve("it.ring");
        StringBuilder appenders = new StringBuilder(burst(
                "Log", ring, fileOf(directory, 1), "ringSize=\"4 MB\"" + ofRing + pattern(directory, 1, areRolled)));
        StringBuilder loggers = new StringBuilder();
        for (int stream = 1; stream <= streams; stream++) {
            String appender = stream == 1 ? "Log" : "Log" + stream;
            if (stream > 1) {
                appenders.append(burst(
                        appender, ring, fileOf(directory, stream), ofRing + pattern(directory, stream, areRolled)));
            }
            loggers.append("<Logger name=\"stream.%d\" additivity=\"false\"><AppenderRef ref=\"%s\"/></Logger>%n"
                    .formatted(stream, appender));
        }
        return configured(directory, ring, appenders.toString(), loggers.toString());
    }

    private static Installation configured(Path directory, Path ring, String attributes) throws IOException {
        return configured(directory, ring, burst("Log", ring, fileOf(directory, 1), attributes), "");
    }

    private static String pattern(Path directory, int stream, boolean isRolled) {
        String begin = nameOf(stream).replace(".log", "");
        return isRolled
                ? " filePattern=\"%s-%%i.log.gz\" compressDelay=\"50 ms\"".formatted(directory.resolve(begin))
                : "";
    }

    private static String burst(String name, Path ring, Path file, String attributes) {
        String rolling = "";
        if (attributes.contains("filePattern")) {
            rolling = "<SizeBasedTriggeringPolicy size=\"16 KB\"/><DefaultRolloverStrategy fileIndex=\"nomax\""
                    + (attributes.contains("external") // a drain without a JVM runs no action
                            ? "/>"
                            : " stopCustomActionsOnError=\"false\"><Whim folder=\"%s\" names=\"%s\"/></DefaultRolloverStrategy>"
                                    .formatted(
                                            file.getParent(),
                                            file.getFileName().toString().replace(".log", "")));
        }
        return """
            <Burst name="%s" ring="%s" fileName="%s" shutdownTimeout="5 min" %s>
              <PatternLayout pattern="%%m%%n"/>%s
            </Burst>
            """.formatted(name, ring, file, attributes, rolling);
    }

    private static Installation configured(Path directory, Path ring, String appenders, String loggers)
            throws IOException {
        Path configuration = Files.writeString(directory.resolve("log4j2.xml"), """
            <Configuration status="warn"%s>
              <Appenders>
                %s
              </Appenders>
              <Loggers>
                %s
                <Root level="info"><AppenderRef ref="Log"/></Root>
              </Loggers>
            </Configuration>
            """.formatted(
                appenders.contains("<Whim") ? " packages=\"%s\"".formatted(WhimAction.class.getPackageName()) : "",
                appenders,
                loggers));
        return new Installation(directory, ring, fileOf(directory, 1), configuration);
    }

    static Path fileOf(Path directory, int stream) {
        return directory.resolve(nameOf(stream));
    }

    static String nameOf(int stream) {
        return stream == 1 ? "it.log" : "it" + stream + ".log";
    }

    /** The rolled files in the order in which they ended, deleted ones too; then the log file itself. */
    List<Path> files(int stream) throws IOException {
        Pattern name = Pattern.compile(nameOf(stream).replace(".log", "-(?:[-\\d]+_)?(\\d+)\\.log(\\.gz)?"));
        Map<Integer, Path> ended = new TreeMap<>();
        for (Path one : archives()) {
            Matcher matcher = name.matcher(one.getFileName().toString());
            if (matcher.matches()) {
                Path before = ended.put(Integer.valueOf(matcher.group(1)), one);
                if (before != null) {
                    throw new AssertionError(before + " is there twice, as " + one);
                }
            }
        }
        List<Path> files = new ArrayList<>(ended.values());
        files.add(file(stream));
        return files;
    }

    /** The log file of a stream, 1 for the first. */
    Path file(int stream) {
        return fileOf(directory, stream);
    }

    static Path emptyDirectory(String name) throws IOException {
        Path directory = Path.of("target", "it", name).toAbsolutePath();
        deleteTree(directory);
        return Files.createDirectories(directory);
    }

    private static void deleteTree(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> tree = Files.walk(directory)) {
                for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    void delete() throws IOException {
        deleteTree(directory);
    }

    /** All archives in the directory, and those that {@link WhimAction} has deleted. */
    private List<Path> archives() throws IOException {
        List<Path> all = new ArrayList<>();
        for (Path place : List.of(directory, directory.resolve(WhimAction.FOLDER))) {
            if (Files.isDirectory(place)) {
                try (Stream<Path> files = Files.list(place)) {
                    all.addAll(files.toList());
                }
            }
        }
        return all;
    }

    /** The names in the directory, without those that {@link WhimAction} has deleted. */
    List<String> fileNames() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(path -> path.getFileName().toString())
                    .toList();
        }
    }

    /** The standard error of a child process. */
    Path errors() {
        return directory.resolve("child.err");
    }

    /** Waits until the child process has ended. If its exit code is not 0, the failure has its standard error. */
    void requireSuccess(Process child) throws IOException, InterruptedException {
        int code = child.waitFor();
        assertThat(code)
                .as("exit code; it said:%n%s", Files.readString(errors()))
                .isZero();
    }
}

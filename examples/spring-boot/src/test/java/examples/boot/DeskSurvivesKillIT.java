// SPDX-License-Identifier: Apache-2.0
package examples.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
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
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The executable jar is killed and started again, beside a run of the same application with {@code RollingFile}. */
@Timeout(900)
class DeskSurvivesKillIT {
    private static final String NO_END = "1000000000";
    private static final int CONFIRMED = 300;
    private static final int ORDERS_OF_DAY_2 = 100;
    private static final Pattern ENDED = Pattern.compile("desk-(\\d+)\\.log(\\.gz)?");

    // The temporary directory may be memory, which no ring with durability="power" accepts.
    private final Path work = Path.of("target", "desk-survives-kill").toAbsolutePath();

    @Test
    void itsLinesAreThoseOfRollingFile() throws Exception {
        deleteTree(work);
        String configuration = Files.readString(Path.of("src/main/resources/log4j2-spring.xml"));
        List<String> burst = run("burst", null, configuration.replace("<Burst ", "<Burst binding=\"jna\" "));
        String rolling = configuration.replaceAll("<(/?)Burst", "<$1RollingFile");
        List<String> rollingFile = run("rolling-file", rolling, rolling);
        assertThat(burst).isEqualTo(rollingFile);
    }

    /**
     * Returns the lines of two days, without the one that nobody confirmed. The first day ends with SIGKILL.
     *
     * @param first the configuration of the first day; null for the one in the jar
     */
    private List<String> run(String name, String first, String second) throws Exception {
        Path folder = Files.createDirectories(work.resolve(name));
        Process killed = start(folder, 1, NO_END, first);
        try (BufferedReader confirmed = killed.inputReader()) {
            String line = "";
            while (line != null && !line.equals("" + CONFIRMED)) {
                line = confirmed.readLine();
            }
            killed.toHandle().destroyForcibly();
            assertThat(line).as("confirmed before the kill, see %s", folder).isNotNull();
            killed.waitFor();
        }
        Process orderly = start(folder, 2, "" + ORDERS_OF_DAY_2, second);
        assertThat(orderly.inputReader().lines()).hasSize(ORDERS_OF_DAY_2);
        assertThat(orderly.waitFor()).as("exit code, see %s", folder).isZero();
        assertThat(Files.readString(folder.resolve("err"))).isEmpty();
        return withoutUnconfirmed(linesOf(folder.resolve("logs")));
    }

    private static Process start(Path folder, int day, String orders, String configuration) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                System.getProperty("application.jar"),
                "--desk.logs=" + folder.resolve("logs"),
                "--desk.day=" + day,
                "--desk.orders=" + orders));
        if (configuration != null) {
            Path file = Files.writeString(folder.resolve("day-" + day + "-log4j2.xml"), configuration);
            command.add("--logging.config=" + file.toUri());
        }
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("err").toFile()))
                .start();
        // A test that fails half-way leaves no process behind that logs for ever.
        Runtime.getRuntime().addShutdownHook(new Thread(process.toHandle()::destroyForcibly));
        return process;
    }

    /** Returns all lines, in the order of the files, without times, process ids and folder. */
    private static List<String> linesOf(Path logs) throws IOException {
        Map<Integer, Path> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(logs)) {
            for (Path file : all.toList()) {
                Matcher ended = ENDED.matcher(file.getFileName().toString());
                if (ended.matches()) {
                    assertThat(files.put(Integer.valueOf(ended.group(1)), file)).isNull();
                }
            }
        }
        assertThat(files).as("files that ended").hasSizeGreaterThanOrEqualTo(2);
        files.put(Integer.MAX_VALUE, logs.resolve("desk.log"));
        List<String> lines = new ArrayList<>();
        for (Path file : files.values()) {
            try (InputStream in = Files.newInputStream(file);
                    InputStream text = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in) {
                new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(lines::add);
            }
        }
        return lines.stream()
                .map(line -> line.replaceFirst("^[\\d-]+T[\\d:,]+ ", "")
                        .replace(logs.getParent().toString(), "FOLDER"))
                .map(line -> line.contains(" order ") ? line : line.replaceAll("\\d+(\\.\\d+)?", "N"))
                .toList();
    }

    /** Each confirmed order must be there once and in order; at most one more was logged, which nobody confirmed. */
    private static List<String> withoutUnconfirmed(List<String> lines) {
        List<Integer> firstDay = lines.stream()
                .filter(line -> line.contains(" day 1 order "))
                .map(line -> Integer.valueOf(line.replaceAll(".* order (\\d+) .*", "$1")))
                .toList();
        for (int i = 0; i < firstDay.size(); i++) {
            assertThat(firstDay.get(i)).as("order on day 1").isEqualTo(i + 1);
        }
        assertThat(firstDay).hasSizeGreaterThanOrEqualTo(CONFIRMED);
        return lines.stream()
                .filter(line -> !line.contains(" day 1 order ")
                        || Integer.parseInt(line.replaceAll(".* order (\\d+) .*", "$1")) <= CONFIRMED)
                .toList();
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
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;

class MigrateTest {

    @TempDir
    Path folder;

    private String printed;

    private Path file(final String name, final String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private Path resource(final String name) throws IOException {
        try (InputStream in = MigrateTest.class.getResourceAsStream(name)) {
            return file(name, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private int migrate(final Object... arguments) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final int code = Migrate.run(
                new PrintStream(bytes, true, StandardCharsets.UTF_8),
                Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
        printed = bytes.toString(StandardCharsets.UTF_8);
        return code;
    }

    private String migrated(final String name, final String text) throws IOException {
        final Path file = file(name, text);
        assertThat(migrate("--write", file)).as(printed).isZero();
        return Files.readString(file);
    }

    private List<String> changedLines() {
        return printed.lines()
                .filter(line -> line.startsWith("-") && !line.startsWith("---")
                        || line.startsWith("+") && !line.startsWith("+++"))
                .toList();
    }

    @Test
    void one_line_changes_in_a_brokers_yaml_of_six_files() throws Exception {
        assertThat(migrate(resource("broker.yaml"))).isZero();
        assertThat(changedLines()).containsExactly("-    RollingFile:", "+    Burst:");
        assertThat(printed).contains("6 to be changed, 0 left as they are");
        assertThat(printed.lines().filter(line -> line.contains("is Burst now")))
                .hasSize(6);
    }

    @Test
    void one_line_changes_for_each_appender_of_a_search_engines_properties() throws Exception {
        assertThat(migrate(resource("search.properties"))).isZero();
        assertThat(changedLines())
                .containsExactly(
                        "-appender.rolling.type = RollingFile",
                        "+appender.rolling.type = Burst",
                        "-appender.slowlog.type = RollingFile",
                        "+appender.slowlog.type = Burst");
    }

    @Test
    void nothing_is_written_unless_asked_for() throws Exception {
        final Path file = resource("broker.yaml");
        final String before = Files.readString(file);
        migrate(file);
        assertThat(Files.readString(file)).isEqualTo(before);
        try (Stream<Path> all = Files.list(folder)) {
            assertThat(all).containsExactly(file);
        }
    }

    @Test
    void the_file_as_it_was_stays_beside_it_and_is_never_replaced() throws Exception {
        final Path file = resource("search.properties");
        final byte[] before = Files.readAllBytes(file);
        assertThat(migrate("--write", file)).isZero();
        final Path backup = folder.resolve("search.properties.before-burst");
        assertThat(backup).hasBinaryContent(before);
        final byte[] after = Files.readAllBytes(file);
        Files.write(file, before);
        assertThat(migrate("--write", file)).isEqualTo(2);
        assertThat(printed).contains("FileAlreadyExistsException", backup.toString());
        assertThat(file).hasBinaryContent(before);
        assertThat(after).isNotEqualTo(before);
    }

    @Test
    void all_text_but_the_names_of_the_elements_stays_as_it_is() throws Exception {
        final Path file = resource("service.xml");
        final String before = Files.readString(file);
        assertThat(migrate("--write", file)).isEqualTo(1);
        assertThat(Files.readString(file))
                .isEqualTo(before.replace("<File name=\"Audit\"", "<Burst name=\"Audit\"")
                        .replace(
                                "<PatternLayout pattern=\"%d %m%n\"/></File>",
                                "<PatternLayout pattern=\"%d %m%n\"/></Burst>")
                        .replace("<RandomAccessFile\n", "<Burst\n")
                        .replace("<RollingFile name=\"App\"", "<Burst name=\"App\"")
                        .replace("</RollingFile>", "</Burst>")
                        .replace("<RollingRandomAccessFile", "<Burst")
                        .replace("</RollingRandomAccessFile>", "</Burst>"));
    }

    @Test
    void each_element_is_said_with_its_line_and_what_it_means() throws Exception {
        migrate(resource("service.xml"));
        final String file = folder.resolve("service.xml") + ": ";
        assertThat(printed.lines().limit(8))
                .containsExactly(
                        file + "line 8: File \"Audit\" is Burst now",
                        file + "line 8: File \"Audit\" note: immediateFlush without effect, the ring decides when an"
                                + " event is durable",
                        file + "line 9: RandomAccessFile \"Access\" is Burst now",
                        file + "line 13: RollingFile \"App\" is Burst now",
                        file + "line 13: RollingFile \"App\" note: filePattern has no %i, and files end by size: an"
                                + " archive that has its name already is kept, and the next one gets a number behind"
                                + " its name",
                        file + "line 21: RollingRandomAccessFile \"Direct\" is Burst now",
                        file + "line 26: File \"Fresh\" left as it is: append=\"false\" empties the file at each start,"
                                + " and Burst never does",
                        file + "note: a call whose event was not logged throws now; ignoreExceptions=\"true\" at the"
                                + " element keeps Log4j's way");
    }

    @Test
    void the_diff_counts_the_lines_before_and_after() throws Exception {
        final String element = "appender.X.type = RollingFile\nappender.X.filePattern = logs/%i\n\n";
        final Path file = file("a.properties", element.replace("X", "a") + element.replace("X", "b"));
        migrate("--set", "ring=logs/burstlog.ring", file);
        assertThat(printed)
                .contains(String.join(
                        "\n",
                        "--- " + file,
                        "+++ " + file,
                        "@@ -1 +1 @@",
                        "-appender.a.type = RollingFile",
                        "+appender.a.type = Burst",
                        "@@ -1,0 +2 @@",
                        "+appender.a.ring = logs/burstlog.ring",
                        "@@ -4 +5 @@",
                        "-appender.b.type = RollingFile",
                        "+appender.b.type = Burst",
                        "@@ -4,0 +6 @@",
                        "+appender.b.ring = logs/burstlog.ring",
                        ""));
    }

    @Test
    void the_diff_is_one_that_patch_reads() throws Exception {
        if (!Files.isExecutable(Path.of("/usr/bin/patch"))) {
            System.out.println("SKIPPED: the diff of a migration is not read by patch: there is no /usr/bin/patch");
            Assumptions.abort("no /usr/bin/patch");
        }
        for (final String name : List.of("service.xml", "search.properties", "broker.yaml")) {
            final Path file = resource(name);
            migrate("--set", "ring=/fast/ä.ring", file);
            final Path diff = Files.writeString(folder.resolve("diff"), printed);
            final Path patched = folder.resolve("patched");
            final Process patch = new ProcessBuilder(
                            "patch", "-s", "-o", patched.toString(), file.toString(), diff.toString())
                    .redirectErrorStream(true)
                    .start();
            final String says = new String(patch.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(patch.waitFor()).as(says).isZero();
            migrate("--write", "--set", "ring=/fast/ä.ring", file);
            assertThat(patched).hasSameBinaryContentAs(file);
            assertThat(Files.readString(file)).contains("/fast/ä.ring");
        }
    }

    @ParameterizedTest
    @CsvFileSource(resources = "forms.txt", delimiter = '|', quoteCharacter = '`')
    void an_element_is_found_in_each_form_that_log4j_knows(final String name, final String text, final String expected)
            throws IOException {
        final Path file = file(name, text);
        assertThat(migrate("--write", "--set", "ring=r", file)).as(printed).isZero();
        assertThat(Files.readString(file)).isEqualTo(expected);
    }

    @Test
    void yaml_in_its_forms() throws Exception {
        final String text = """
                Configuration:
                  Appenders:
                    # one alone
                    File:
                      name: A  # its name
                      fileName: 'a'
                    "RollingFile":
                    - fileName: b
                      append: false
                    -
                      fileName: c
                    Rewrite:
                      pattern: |
                        File:
                          fileName: no
                """;
        final Path file = file("log4j2.yml", text);
        assertThat(migrate("--write", "--set", "ring=r", file)).isEqualTo(1);
        assertThat(Files.readString(file))
                .isEqualTo(text.replace("    File:\n      name: A", "    Burst:\n      ring: \"r\"\n      name: A")
                        .replace("      fileName: c", "      type: \"Burst\"\n      ring: \"r\"\n      fileName: c"));
    }

    @Test
    void what_is_written_in_flow_style_is_left_and_said() throws Exception {
        final Path file = file("log4j2.yaml", "Configuration:\n  Appenders:\n    File: {name: A, fileName: a}\n");
        assertThat(migrate(file)).isEqualTo(1);
        assertThat(printed).contains("line 3: File (without a name) left as it is: it is written in flow style");
    }

    @Test
    void properties_with_windows_line_ends_and_no_line_end_at_the_end() throws Exception {
        assertThat(migrated(
                        "a.properties", "# appender.x.type=File\r\nappender.a.fileName: a\r\nappender.a.type: File"))
                .isEqualTo("# appender.x.type=File\r\nappender.a.fileName: a\r\nappender.a.type: Burst");
    }

    @Test
    void a_line_that_goes_on_the_one_before_is_no_entry() throws Exception {
        final String going = "appender.a.layout.pattern = %m\\\n  appender.b.type = File\n";
        final String last = "appender.c.layout.pattern = %m\\\\\nappender.c.type = File\nappender.c.fileName=c\n";
        assertThat(migrated("a.properties", going + last)).isEqualTo(going + last.replace("File\n", "Burst\n"));
    }

    @Test
    void a_configuration_without_file_appenders_stays_as_it_is() throws Exception {
        final Path file = file("log4j2.xml", "<Configuration><Loggers><File/></Loggers></Configuration>");
        assertThat(migrate("--write", file)).isZero();
        assertThat(printed).contains("nothing to change");
        assertThat(folder.resolve("log4j2.xml.before-burst")).doesNotExist();
    }

    @Test
    void a_migrated_configuration_is_not_changed_again() throws Exception {
        for (final String name : List.of("search.properties", "broker.yaml")) {
            final Path file = resource(name);
            migrate("--write", file);
            assertThat(migrate("--write", file)).isZero();
            assertThat(printed).contains("nothing to change");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<Configuration><Appenders>",
                "<Configuration></Appenders>",
                "<Configuration><!-- ",
                "<Configuration a=\"b>",
                "{\"a\": ",
                "{\"a\" 1}",
                "{} {}",
                "[1]"
            })
    void what_cannot_be_read_is_refused_with_its_line_and_stays_as_it_is(final String text) throws Exception {
        final Path file = file(text.startsWith("<") ? "log4j2.xml" : "log4j2.json", "\n" + text);
        assertThat(migrate("--write", file)).isEqualTo(2);
        assertThat(printed).contains(": line 2: ");
        assertThat(Files.readString(file)).isEqualTo("\n" + text);
    }

    @Test
    void a_file_of_another_kind_is_refused() throws Exception {
        assertThat(migrate(file("log4j2.txt", ""))).isEqualTo(2);
        assertThat(migrate(folder.resolve("missing.xml"))).isEqualTo(2);
        assertThat(migrate("--what")).isEqualTo(2);
        assertThat(printed).startsWith("usage: ");
        final Path wide = Files.write(folder.resolve("w.xml"), "<a/>".getBytes(StandardCharsets.UTF_16LE));
        assertThat(migrate(wide)).isEqualTo(2);
        assertThat(printed).contains("convert it first");
    }
}

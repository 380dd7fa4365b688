// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling.shipping;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The results of each rule for files that roll well, and for files that do not; docs/shipping.md has the same. */
class ShipperRulesTest {

    private static final int FILES = 5;
    private static final int LINES = 40;

    @TempDir
    Path folder;

    private final List<String> written = new ArrayList<>();

    static List<String> rules() {
        return List.of("inode", "1,000 bytes", "1,024 bytes", "first line");
    }

    static Shipper shipper(final String rule) {
        return switch (rule) {
            case "inode" -> new Shipper.ByInode("app.log");
            case "1,000 bytes" -> new Shipper.ByFirstBytes(1_000, false);
            case "1,024 bytes" -> new Shipper.ByFirstBytes(1_024, true);
            default -> new Shipper.ByFirstLine();
        };
    }

    private Path file() {
        return folder.resolve("app.log");
    }

    private void write(final Path path, final String text) {
        try {
            Files.writeString(path, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (final IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Writes a file of 40 lines of 60 bytes, in pieces, with a look after each. */
    private void fill(final int number, final String header, final Shipper shipper) throws IOException {
        if (!header.isEmpty()) {
            write(file(), header + "\n");
        }
        for (int i = 1; i <= LINES; i++) {
            final String line = "file " + number + " line " + i + " " + ".".repeat(40);
            written.add(line);
            write(file(), line + "\n");
            if (i % 7 == 0) {
                shipper.poll(folder);
            }
        }
    }

    private List<String> sentBy(final Shipper shipper) {
        return shipper.lines().stream().filter(line -> line.startsWith("file ")).toList();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void a_file_that_is_renamed_in_its_folder_is_sent_once(final String rule) throws Exception {
        final Shipper shipper = shipper(rule);
        for (int number = 1; number <= FILES; number++) {
            fill(number, "", shipper);
            Files.move(file(), folder.resolve("app-" + number + ".log"));
            if (number % 2 == 0) {
                shipper.poll(folder);
            }
            write(file(), "");
            shipper.poll(folder);
        }
        assertThat(sentBy(shipper)).containsExactlyElementsOf(written);
    }

    @ParameterizedTest
    @MethodSource("rules")
    void indexes_that_shift_at_each_roll_confuse_none(final String rule) throws Exception {
        final Shipper shipper = shipper(rule);
        for (int number = 1; number <= FILES; number++) {
            fill(number, "", shipper);
            for (int index = number - 1; index >= 1; index--) {
                Files.move(folder.resolve("app-" + index + ".log"), folder.resolve("app-" + (index + 1) + ".log"));
            }
            Files.move(file(), folder.resolve("app-1.log"));
            shipper.poll(folder);
        }
        assertThat(sentBy(shipper)).containsExactlyElementsOf(written);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1,000 bytes", "1,024 bytes", "first line"})
    void an_archive_that_is_compressed_before_the_next_look_loses_its_last_lines(final String rule) throws Exception {
        final Shipper shipper = shipper(rule);
        fill(1, "", shipper);
        Files.move(file(), folder.resolve("app-1.log"));
        Files.move(folder.resolve("app-1.log"), folder.resolve("app-1.log.gz"));
        fill(2, "", shipper);
        shipper.poll(folder);
        assertThat(sentBy(shipper)).hasSizeLessThan(2 * LINES).doesNotContain(written.get(LINES - 1));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void an_archive_that_is_compressed_after_the_next_look_is_sent_once(final String rule) throws Exception {
        final Shipper shipper = shipper(rule);
        fill(1, "", shipper);
        Files.move(file(), folder.resolve("app-1.log"));
        shipper.poll(folder);
        Files.move(folder.resolve("app-1.log"), folder.resolve("app-1.log.gz"));
        fill(2, "", shipper);
        shipper.poll(folder);
        assertThat(sentBy(shipper)).containsExactlyElementsOf(written);
    }

    @Test
    void a_file_that_is_truncated_and_longer_again_at_the_next_look_loses_lines_by_inode() throws Exception {
        final Shipper shipper = shipper("inode");
        fill(1, "", shipper);
        shipper.poll(folder);
        Files.write(file(), new byte[0]);
        fill(2, "", new Shipper.ByFirstLine());
        fill(3, "", new Shipper.ByFirstLine());
        shipper.poll(folder);
        assertThat(sentBy(shipper)).hasSize(2 * LINES).doesNotContain(written.get(LINES));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void what_is_written_after_the_next_file_was_seen_is_lost_to_whoever_goes_by_inode(final String rule)
            throws Exception {
        final Shipper shipper = shipper(rule);
        fill(1, "", shipper);
        final Path archive = folder.resolve("app-1.log");
        Files.move(file(), archive);
        fill(2, "", shipper);
        write(archive, "file 1 too late\n");
        shipper.poll(folder);
        assertThat(sentBy(shipper).contains("file 1 too late")).isEqualTo(!rule.equals("inode"));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void an_equal_header_of_a_thousand_bytes_hides_a_file_from_whoever_goes_by_first_bytes(final String rule)
            throws Exception {
        final Map<String, Integer> sent = Map.of("inode", 2 * LINES);
        assertThat(sentWithHeaders(rule, "h".repeat(1_100), "h".repeat(1_100)))
                .isEqualTo(sent.getOrDefault(rule, LINES));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void an_equal_header_of_a_line_hides_a_file_from_whoever_goes_by_first_line(final String rule) throws Exception {
        assertThat(sentWithHeaders(rule, "time,level,message", "time,level,message"))
                .isEqualTo(rule.equals("first line") ? LINES : 2 * LINES);
    }

    @ParameterizedTest
    @MethodSource("rules")
    void a_stamp_before_the_header_shows_each_file_to_all(final String rule) throws Exception {
        final String header = "\n" + "h".repeat(1_100);
        assertThat(sentWithHeaders(
                        rule, "# burstlog 1f2e file 1 from 1" + header, "# burstlog 1f2e file 2 from 41" + header))
                .isEqualTo(2 * LINES);
    }

    /** Writes two files of equal length; returns how many of their lines were sent. */
    private int sentWithHeaders(final String rule, final String first, final String second) throws IOException {
        final Shipper shipper = shipper(rule);
        fill(1, first, shipper);
        Files.move(file(), folder.resolve("app-1.log"));
        shipper.poll(folder);
        fill(2, second, new Shipper.ByFirstLine());
        shipper.poll(folder);
        return sentBy(shipper).size();
    }

    @Test
    void an_archive_that_goes_to_another_folder_is_lost_to_a_pattern_of_the_first() throws Exception {
        final Shipper shipper = shipper("1,000 bytes");
        fill(1, "", shipper);
        Files.createDirectory(folder.resolve("old"));
        Files.move(file(), folder.resolve("old/app-1.log"));
        fill(2, "", shipper);
        shipper.poll(folder);
        assertThat(sentBy(shipper)).doesNotContain(written.get(LINES - 1));
        assertThat(IntStream.range(LINES, 2 * LINES).mapToObj(written::get)).allMatch(sentBy(shipper)::contains);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The judge of recovered copies finds what is wrong. */
class CopiesTest {

    private static final String SAID = """
            copied a 1 1
            alone b 1 2
            alone a 2 3
            copied c 1 4
            alone c 2 5
            """;

    @TempDir
    Path folder;

    private String judge(String recovered, String said) throws IOException {
        Files.writeString(folder.resolve("orders.log"), recovered);
        Path output = Files.writeString(folder.resolve("host.out"), said);
        return Copies.wrong(folder, List.of(output));
    }

    private static String named(int first, int last) {
        return "event WARN the copy goes on: records " + first + " to " + last + " are not in it\n";
    }

    @Test
    void what_was_copied_is_there() throws IOException {
        assertThat(judge("a 1\nb 1\na 2\nc 1\n", SAID)).isNull();
        assertThat(judge("b 1\na 2\nc 1\n", SAID)).contains("a 1", "is not there");
    }

    @Test
    void what_has_one_copy_is_there_or_named_and_not_both() throws IOException {
        assertThat(judge("a 1\nc 1\n", SAID + named(2, 3))).isNull();
        assertThat(judge("a 1\nb 1\nc 1\n", SAID + named(2, 3))).isEqualTo("b 1=2 was named as missing, and is there");
    }

    /** Its thread has no later line: each host has threads of its own. */
    @Test
    void the_last_line_of_a_thread_is_there_or_named_unless_no_later_record_was_copied() throws IOException {
        assertThat(judge("a 1\nc 1\n", SAID + named(2, 2))).isEqualTo("a 2=3 is not there, and was not named");
        assertThat(judge("a 1\na 2\nc 1\n", SAID)).isEqualTo("b 1=2 is not there, and was not named");
    }

    @Test
    void each_line_is_there_once_and_in_order() throws IOException {
        assertThat(judge("a 1\nb 1\na 1\n", SAID)).contains("comes behind");
        assertThat(judge("a 2\n", "copied a 2 3\nalone a 1 2\n")).contains("its sequence 2 was not named");
    }
}

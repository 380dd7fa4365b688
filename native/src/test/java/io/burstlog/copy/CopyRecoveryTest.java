// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import static io.burstlog.copy.StoredBlocks.lines;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.CopyFeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The records of a copy are put together, and compared with a log file. */
class CopyRecoveryTest {

    @TempDir
    Path temporary;

    private Path folder;
    private Path file;

    @BeforeEach
    void name() {
        folder = temporary.resolve("recovered");
        file = temporary.resolve("orders.log");
    }

    private CopyRecovery.Report recover(StoredBlocks copy) throws Exception {
        return CopyRecovery.of(copy).to(folder);
    }

    private CopyRecovery.Report compare(StoredBlocks copy, String text) throws Exception {
        Files.writeString(file, text);
        return CopyRecovery.of(copy).compare(file, null);
    }

    @Test
    void each_record_is_there_once_and_in_order() throws Exception {
        CopyRecovery.Report report =
                recover(new StoredBlocks().mark(3).add(3, 5).add(6, 6).mark(7).add(7, 9));
        assertThat(folder.resolve("stream_1")).hasContent(lines("record", 3, 9));
        assertThat(report.findings()).isEmpty();
        assertThat(report.summary())
                .containsExactly("7 records of stream stream 1, from 3 to 9, are in " + folder.resolve("stream_1"));
    }

    /** A writer that has gone down may have sent records that its ring does not have any more. */
    @Test
    void what_a_later_mark_has_declared_void_is_left_out() throws Exception {
        RingRecords mixed = RingRecords.from(3).add(1, "record 3\n").add(1, "void 4\n");
        recover(new StoredBlocks()
                .add(1, 2)
                .add(mixed.block())
                .add(StoredBlocks.block(1, "void", 5, 6))
                .mark(6)
                .mark(4)
                .add(4, 5)
                .add(StoredBlocks.block(1, "void", 6, 6))
                .mark(6)
                .add(6, 7));
        assertThat(folder.resolve("stream_1")).hasContent(lines("record", 1, 7));
    }

    /**
     * The ring lost three records that the copy has; it gave their sequences, and two more, while the copy was away.
     */
    @Test
    void void_records_before_a_gap_are_left_out() throws Exception {
        StoredBlocks copy = new StoredBlocks().add(1, 3).add(StoredBlocks.block(1, "void", 4, 6));
        CopySession.marks(new CopyFeed.Begun(9, 5, 3, 2, 8), RingRecords.RING).forEach(copy::add);
        CopyRecovery.Report report = recover(copy.add(9, 9));
        assertThat(report.findings()).containsExactly("the copy lacks the records 4 to 8");
        assertThat(folder.resolve("stream_1")).hasContent(lines("record", 1, 3) + "record 9\n");
    }

    @Test
    void a_record_that_comes_twice_is_recovered_once() throws Exception {
        recover(new StoredBlocks().add(1, 3).add(2, 4));
        assertThat(folder.resolve("stream_1")).hasContent(lines("record", 1, 4));
    }

    @Test
    void what_the_copy_lacks_is_told() throws Exception {
        CopyRecovery.Report report =
                recover(new StoredBlocks().add(5, 6).mark(9).add(9, 9));
        assertThat(report.findings()).containsExactly("the copy lacks the records 7 to 8");
        assertThat(folder.resolve("stream_1")).hasContent("record 5\nrecord 6\nrecord 9\n");
    }

    @Test
    void a_gap_is_told_that_only_a_mark_knows_of() throws Exception {
        CopyRecovery.Report report =
                recover(new StoredBlocks().add(5, 6).mark(8).mark(9));
        assertThat(report.findings()).containsExactly("the copy lacks the records 7 to 8");
    }

    @Test
    void each_stream_has_a_file_of_its_name() throws Exception {
        recover(new StoredBlocks()
                .add(StoredBlocks.block(0, "main", 1, 2))
                .add(StoredBlocks.block(2, "audit", 3, 3))
                .add(StoredBlocks.block(0, "main", 4, 4)));
        assertThat(folder.resolve("orders.log")).hasContent("main 1\nmain 2\nmain 4\n");
        assertThat(folder.resolve("stream_2")).hasContent("audit 3\n");
    }

    @Test
    void no_file_is_written_over() throws Exception {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("stream_1"), "of somebody else\n");
        assertThatThrownBy(() -> recover(new StoredBlocks().add(1, 1))).isInstanceOf(IOException.class);
        assertThat(folder.resolve("stream_1")).hasContent("of somebody else\n");
    }

    @Test
    void a_log_file_may_end_before_its_copy_and_begin_behind_it() throws Exception {
        StoredBlocks copy = new StoredBlocks().add(1, 9);
        assertThat(compare(copy, lines("record", 1, 9)).findings()).isEmpty();
        CopyRecovery.Report part = compare(copy, lines("record", 4, 6));
        assertThat(part.findings()).isEmpty();
        assertThat(part.summary())
                .containsExactly(
                        "3 records are in the copy and in " + file + ", 3 later ones are in the copy alone, from 7 on");
    }

    @Test
    void a_difference_is_told_with_its_place() throws Exception {
        for (String changed : List.of("record 1\nrecord x\nrecord 3\n", "record 1\nrecord 3\nrecord 2\n")) {
            assertThat(compare(new StoredBlocks().add(1, 9), changed).findings())
                    .containsExactly(file + " has something else than record 2 of the copy at byte 9");
        }
    }

    @Test
    void what_the_log_file_alone_has_is_told() throws Exception {
        StoredBlocks copy = new StoredBlocks().add(3, 4).mark(7).add(7, 8);
        assertThat(compare(copy, lines("record", 1, 9)).findings())
                .containsExactly(
                        "bytes 0 to 17 of " + file + " are not in the copy, right before record 3",
                        "the copy lacks the records 5 to 6",
                        "bytes 36 to 53 of " + file + " are not in the copy, right before record 7",
                        "bytes 72 to 80 of " + file + " are not in the copy, behind its last record");
    }

    @Test
    void an_empty_file_says_nothing_of_where_it_ends() throws Exception {
        CopyRecovery.Report report = compare(new StoredBlocks().add(1, 9), "");
        assertThat(report.summary())
                .containsExactly("0 records are in the copy and in " + file + ", 9 later ones are in the copy alone");
        assertThat(report.findings()).containsExactly(file + " is empty: compare the file before it, if it was rolled");
    }

    @Test
    void blocks_that_go_while_it_reads_are_told() throws Exception {
        StoredBlocks copy = new StoredBlocks().add(1, 3).add(4, 6).losingTheFirstWhenReadAgain();
        assertThatThrownBy(() -> recover(copy))
                .hasMessageStartingWith("the copy had 2 blocks when it was read first, and 1 then");
    }

    @Test
    void a_rolled_file_may_begin_with_a_header() throws Exception {
        StoredBlocks copy = new StoredBlocks().add(1, 9);
        String header = "# orders\n# of today\n";
        CopyRecovery.Report report = compare(copy, header + lines("record", 4, 6));
        assertThat(report.summary())
                .containsExactly(
                        "3 records are in the copy and in " + file + ", 3 later ones are in the copy alone, from 7 on");
        assertThat(report.findings())
                .containsExactly("bytes 0 to 19 of " + file + " are not in the copy, right before record 4");
    }

    @Test
    void a_header_is_found_although_the_copy_has_a_gap() throws Exception {
        StoredBlocks copy = new StoredBlocks().add(1, 6).mark(8).add(8, 9);
        CopyRecovery.Report report = compare(copy, "# header\n" + lines("record", 4, 9));
        assertThat(report.summary())
                .containsExactly("5 records are in the copy and in " + file + ", 0 later ones are in the copy alone");
        assertThat(report.findings())
                .containsExactly(
                        "bytes 0 to 8 of " + file + " are not in the copy, right before record 4",
                        "the copy lacks the records 7 to 7",
                        "bytes 36 to 44 of " + file + " are not in the copy, right before record 8");
    }

    /** Its blank line is no beginning of record 3, which begins with one, too. */
    @Test
    void a_header_may_have_a_line_with_which_a_record_begins() throws Exception {
        CopyBlock block = RingRecords.from(3).add(1, "\nrecord 3\n").block();
        StoredBlocks copy = new StoredBlocks().add(1, 2).add(block).add(4, 4);
        CopyRecovery.Report report = compare(copy, "# header\n\n\n" + lines("record", 3, 4));
        assertThat(report.summary())
                .containsExactly("2 records are in the copy and in " + file + ", 0 later ones are in the copy alone");
        assertThat(report.findings())
                .containsExactly("bytes 0 to 9 of " + file + " are not in the copy, right before record 3");
    }

    /** Record 2 says the same as record 8: the file begins at record 7 all the same, which the copy lacks. */
    @Test
    void a_record_that_says_the_same_as_a_later_one_is_no_beginning() throws Exception {
        RingRecords again = RingRecords.from(1).add(1, "record 1\n").add(1, "record 8\n");
        StoredBlocks copy =
                new StoredBlocks().add(again.block()).add(3, 6).mark(8).add(8, 9);
        assertThat(compare(copy, lines("record", 7, 9)).findings())
                .containsExactly("bytes 0 to 8 of " + file + " are not in the copy, right before record 8");
    }

    @Test
    void a_file_of_another_log_has_no_record_of_the_copy() throws Exception {
        String other = lines("order", 4, 6);
        assertThat(compare(new StoredBlocks().add(1, 9), other).findings())
                .containsExactly("bytes 0 to " + (other.length() - 1) + " of " + file + " are not in the copy");
    }

    @Test
    void one_of_several_streams_must_be_named() throws Exception {
        StoredBlocks copy =
                new StoredBlocks().add(StoredBlocks.block(2, "audit", 1, 1)).add(2, 3);
        assertThatThrownBy(() -> compare(copy, "record 2\n"))
                .hasMessage("the copy has several streams: name one of [stream 1, stream 2]");
        assertThat(CopyRecovery.of(copy).compare(file, "stream 1").findings()).isEmpty();
    }
}

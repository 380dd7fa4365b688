// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import static io.burstlog.copy.StoredBlocks.lines;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstConfig;
import io.burstlog.BurstConsumer;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.ConsumedRecords;
import io.burstlog.Durability;
import io.burstlog.Segments;
import io.burstlog.StreamConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The records of a copy come into a ring, and from there to wherever the application moves its records. */
class CopyRingTest {

    @TempDir
    Path temporary;

    private Path ring;
    private Path file;

    @BeforeEach
    void name() {
        ring = temporary.resolve("new.ring");
        file = temporary.resolve("orders.log");
    }

    private CopyTarget target(String... more) throws IOException {
        Map<String, String> options = new HashMap<>(Map.of("into", ring.toString()));
        for (int i = 0; i < more.length; i += 2) {
            options.put(more[i], more[i + 1]);
        }
        CopyTarget target = CopyTarget.of(options);
        assertThat(options).isEmpty();
        return target;
    }

    /** The unnamed stream of the blocks, whose log file was elsewhere. */
    private String here() {
        return "/logs/orders.log=" + file;
    }

    private BurstConfig.Builder application() {
        return BurstConfig.builder().ring(ring.toString()).durability(Durability.PROCESS);
    }

    @Test
    void the_applications_open_moves_the_records_to_its_log_file_and_goes_on_behind_them() throws Exception {
        StoredBlocks copy = new StoredBlocks()
                .add(StoredBlocks.block(0, "main", 3, 5))
                .mark(5)
                .add(StoredBlocks.block(0, "main", 5, 7));
        CopyRecovery.Report report = target("files", here()).recover(copy);
        assertThat(report.findings()).isEmpty();
        assertThat(report.summary().get(0))
                .isEqualTo("5 records of stream /logs/orders.log, from 3 to 7, are in ring " + ring + " for " + file);
        try (BurstLog log =
                BurstLog.open(application().fileName(file.toString()).build())) {
            assertThat(report.summary().get(1)).startsWith("ring " + ring + " has the id " + log.ringId() + ", ");
            assertThat(log.append("main 8\n".getBytes())).isEqualTo(6);
        }
        assertThat(file).hasContent(lines("main", 3, 8));
    }

    @Test
    void segments_get_them_with_the_event_times_that_they_had() throws Exception {
        String folder = temporary.resolve("segments").toString();
        target("files", here(), "segments", "/logs/orders.log=" + folder)
                .recover(new StoredBlocks().add(StoredBlocks.block(0, "main", 3, 4)));
        List<String> found = new ArrayList<>();
        StreamConfig main = StreamConfig.builder()
                .fileName(file.toString())
                .segments(Segments.in(folder))
                .build();
        try (BurstLog log = BurstLog.open(application().main(main).build());
                BurstConsumer consumer = log.consumer("test", "")) {
            assertThat(log.awaitDrained(Duration.ofSeconds(30))).isTrue();
            ConsumedRecords polled = consumer.poll(1 << 16, Duration.ofSeconds(30));
            while (polled.next()) {
                found.add(polled.sequence() + " " + polled.eventTimeNanos());
            }
        }
        assertThat(found).containsExactly("1 3000", "2 4000");
    }

    @Test
    void each_named_stream_gets_its_own_and_only_from_the_wanted_record_on() throws Exception {
        StoredBlocks copy = new StoredBlocks()
                .add(StoredBlocks.block(2, "audit", 1, 3))
                .add(StoredBlocks.block(1, "trades", 4, 5))
                .add(StoredBlocks.block(2, "audit", 6, 6));
        Path audit = temporary.resolve("audit.log");
        String paths = "stream 1=" + file + ",stream 2=" + audit;
        assertThat(target("files", paths, "from", "3").recover(copy).findings()).isEmpty();
        try (BurstLog log = BurstLog.open(application().build());
                BurstStream first = log.stream(
                        "stream 1",
                        StreamConfig.builder().fileName(file.toString()).build());
                BurstStream second = log.stream(
                        "stream 2",
                        StreamConfig.builder().fileName(audit.toString()).build())) {
            assertThat(first.awaitDrained(Duration.ofSeconds(30))).isTrue();
            assertThat(second.awaitDrained(Duration.ofSeconds(30))).isTrue();
        }
        assertThat(file).hasContent(lines("trades", 4, 5));
        assertThat(audit).hasContent("audit 3\naudit 6\n");
    }

    @Test
    void each_stream_may_begin_with_a_record_of_its_own() throws Exception {
        StoredBlocks copy = new StoredBlocks();
        for (int i = 1; i <= 6; i++) {
            copy.add(StoredBlocks.block(1 + i % 2, "record", i, i));
        }
        Path audit = temporary.resolve("audit.log");
        CopyRecovery.Report report = target(
                        "files", "stream 1=" + file + ",stream 2=" + audit, "from", "stream 1=4,stream 2=3")
                .recover(copy);
        assertThat(report.findings()).isEmpty();
        assertThat(file).hasContent("record 4\nrecord 6\n");
        assertThat(audit).hasContent("record 3\nrecord 5\n");
    }

    @Test
    void a_stream_that_the_copy_does_not_have_is_refused() throws Exception {
        StoredBlocks copy = new StoredBlocks().add(StoredBlocks.block(0, "main", 1, 2));
        for (String option : List.of("files", "segments", "from")) {
            String value = option.equals("from") ? "orders=2" : "orders=" + file;
            assertThatThrownBy(() -> target(option, value).recover(copy))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("The copy has no stream orders; it has [/logs/orders.log].");
        }
        assertThat(ring).doesNotExist();
    }

    @Test
    void it_is_told_when_the_copy_ends_before_the_wanted_record() throws Exception {
        StoredBlocks copy = new StoredBlocks().add(StoredBlocks.block(0, "main", 1, 2));
        assertThat(target("files", here(), "from", "3").recover(copy).findings())
                .containsExactly("the copy has no such record, from 3 on");
    }

    @Test
    void a_ring_whose_records_are_shorter_is_refused_before_it_gets_one() throws Exception {
        BurstLog.open(application().ringBytes(2 << 20).build()).close();
        StoredBlocks copy = new StoredBlocks()
                .add(StoredBlocks.block(0, "main", 1, 1))
                .add(RingRecords.from(2).add(0, "x".repeat(1 << 20)).block());
        assertThatThrownBy(() -> target("files", here()).recover(copy))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("the copy has a record of 1048576 bytes, and ring " + ring + " takes ");
        assertThat(file).doesNotExist();
        target();
    }

    @Test
    void a_file_that_is_no_ring_is_refused_and_left_as_it_is() throws Exception {
        Files.writeString(ring, "a log file\n");
        assertThatThrownBy(this::target).hasMessageContaining(" is no ring, or one with records");
        assertThat(ring).hasContent("a log file\n");
    }

    /** As one that an application has stopped with: its records are not moved, and its copy lacks none of them. */
    @Test
    void a_ring_that_is_refused_is_left_as_it_is() throws Exception {
        BurstConfig.Builder own = application().fileName(file.toString());
        try (BurstLog log = BurstLog.open(
                own.copy("C").shutdownTimeout(Duration.ofMillis(300)).build())) {
            log.append("of its own\n".getBytes());
        }
        byte[] before = Files.readAllBytes(ring);
        assertThatThrownBy(this::target).hasMessageContaining(" is no ring, or one with records");
        assertThat(Files.readAllBytes(ring)).isEqualTo(before);
    }

    @Test
    void rolls_are_left_out() throws Exception {
        RingRecords records = RingRecords.from(1).add(0, "main 1\n").roll(0).add(0, "main 3\n");
        target("files", here()).recover(new StoredBlocks().add(records.block()));
        BurstLog.open(application().fileName(file.toString()).build()).close();
        assertThat(file).hasContent("main 1\nmain 3\n");
    }

    @Test
    void what_the_copy_lacks_before_or_among_the_wanted_records_is_told() throws Exception {
        StoredBlocks copy = new StoredBlocks()
                .add(StoredBlocks.block(0, "main", 1, 2))
                .mark(5)
                .add(StoredBlocks.block(0, "main", 5, 6));
        assertThat(target("files", here(), "from", "4").recover(copy).findings())
                .containsExactly("the copy lacks the records 4 to 4");
    }

    @Test
    void a_named_stream_without_a_path_is_refused_before_there_is_a_ring() throws Exception {
        StoredBlocks copy = new StoredBlocks().add(1, 3);
        assertThatThrownBy(() -> target().recover(copy))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Stream stream 1 lacks the path of its log file; add --files \"stream 1=PATH\", as the"
                        + " application has it.");
        assertThat(ring).doesNotExist();
    }

    @Test
    void a_ring_that_has_had_records_is_refused() throws Exception {
        try (BurstLog log =
                BurstLog.open(application().fileName(file.toString()).build())) {
            log.append("of its own\n".getBytes());
        }
        assertThatThrownBy(this::target)
                .isInstanceOf(IOException.class)
                .hasMessage(
                        ring + " is no ring, or one with records: name a new file, or a ring that burstlog format has"
                                + " just made");
    }

    @Test
    void more_records_than_a_ring_holds_pass_through_it() throws Exception {
        StoredBlocks copy = new StoredBlocks();
        for (int i = 1; i <= 20; i++) {
            copy.add(RingRecords.from(i).add(0, "x".repeat(1 << 20)).block());
        }
        target("files", here()).recover(copy);
        assertThat(Files.size(ring)).isEqualTo(16 << 20);
        BurstLog.open(application().fileName(file.toString()).build()).close();
        assertThat(Files.size(file)).isEqualTo(20 << 20);
    }

    @Test
    void the_longest_record_of_a_copy_has_room() throws Exception {
        String text = "x".repeat(5 << 20);
        target("files", here())
                .recover(new StoredBlocks().add(RingRecords.from(1).add(0, text).block()));
        BurstLog.open(application().fileName(file.toString()).build()).close();
        assertThat(file).hasContent(text);
    }

    @ParameterizedTest
    @CsvSource({
        "to, x, '--to and --into exclude each other.'",
        "from, 0, '--from 0 is no sequence; write a number from 1 on.'",
        "from, two, '--from two is no sequence; write a number from 1 on.'",
        "files, audit, '--files audit is no STREAM=PATH.'",
        "files, 'a=b,=c', '--files =c is no STREAM=PATH.'"
    })
    void what_cannot_be_meant_is_refused(String option, String value, String sentence) {
        assertThatThrownBy(() -> target(option, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(sentence);
    }

    @Test
    void paths_of_log_files_need_a_ring() {
        Map<String, String> options = new HashMap<>(Map.of("to", "x", "files", "a=b"));
        assertThatThrownBy(() -> CopyTarget.of(options)).hasMessage("--files and --segments go with --into RING only.");
    }
}

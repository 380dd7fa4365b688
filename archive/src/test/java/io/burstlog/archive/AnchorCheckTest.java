// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Archives whose heads were confirmed, and what is found when one of both was changed. */
class AnchorCheckTest {

    private static final long SECOND = 1_000_000_000;

    @TempDir
    private Path directory;

    private final MemoryDisk disk = new MemoryDisk();
    private final AtomicLong now = new AtomicLong(SECOND);
    private Path file;
    private FileAnchor anchor;
    private long number;

    @BeforeEach
    void begin() {
        file = directory.resolve("heads");
        anchor = new FileAnchor("elsewhere", file);
    }

    private ArchiveWriter open() throws IOException {
        return Written.open(disk, Written.key(1), Written.NO_FENCE, now::get);
    }

    private static Sealing sealing(long every, long seconds) {
        return new Sealing(List.of("elsewhere"), every, seconds);
    }

    /** Appends records that are taken at once, after so many seconds. */
    private void append(ArchiveWriter writer, long count, long afterSeconds) throws IOException {
        now.addAndGet(afterSeconds * SECOND);
        for (int i = 0; i < count; i++) {
            number++;
            writer.append(Written.leaf(number, now.get()), Written.payload(number));
        }
        writer.commit();
    }

    private void confirm(Checkpoint head) throws IOException {
        disk.put(Anchors.headName("elsewhere", head.size()), head.toString().getBytes(UTF_8));
        disk.put(Anchors.answerName("elsewhere", head.size()), anchor.confirm(head, new ArchiveReader(disk, head)));
    }

    private Verification.Report verify(boolean isChecked) throws IOException {
        Verification verification =
                Verification.of(disk).key(Written.key(1).verifier()).threads(1);
        if (isChecked) {
            verification.anchor("elsewhere", FileAnchor.check(file));
        }
        return verification.run();
    }

    private List<String> findings() throws IOException {
        return verify(true).findings().stream().map(Finding::toString).toList();
    }

    @Test
    void theLastConfirmedHeadIsReportedAndWhatLiesBehindIt() throws Exception {
        try (ArchiveWriter writer = open()) {
            append(writer, 10, 0);
            confirm(writer.head());
            append(writer, 10, 1);
            confirm(writer.head());
            append(writer, 5, 1);
        }
        Verification.Report report = verify(true);
        assertThat(report.findings()).isEmpty();
        assertThat(report.anchors())
                .containsExactly(new Verification.Anchored("elsewhere", true, 2, 21, 5, null, null));
        assertThat(ReportText.plain(report))
                .contains("anchor elsewhere: it confirms the head of 21 leaves, 5 lie behind it");
        assertThat(ReportText.json(report))
                .contains("\"name\":\"elsewhere\",\"checked\":true,\"answers\":2,\"size\":21");
        assertThat(verify(false).anchors())
                .containsExactly(new Verification.Anchored("elsewhere", false, 2, 21, 5, null, null));
    }

    @Test
    void anOlderStateOfTheWholeArchiveIsFoundByAnAnchor() throws Exception {
        MemoryDisk older;
        try (ArchiveWriter writer = open()) {
            append(writer, 10, 0);
            older = new MemoryDisk(disk);
            append(writer, 10, 0);
            confirm(writer.head());
        }
        Verification.Report report = Verification.of(older)
                .key(Written.key(1).verifier())
                .threads(1)
                .anchor("elsewhere", FileAnchor.check(file))
                .run();
        assertThat(report.findings())
                .singleElement()
                .hasToString(
                        "ANCHOR: the head of 21 leaves that the anchor elsewhere has is newer than the archive, which has"
                                + " 11: leaves were taken from its end");
        for (long size : Anchors.kept(disk, "elsewhere")) {
            older.put(Anchors.headName("elsewhere", size), disk.read(Anchors.headName("elsewhere", size)));
            older.put(Anchors.answerName("elsewhere", size), disk.read(Anchors.answerName("elsewhere", size)));
        }
        assertThat(Written.verify(older).findings()).singleElement().asString().contains("is newer than the archive");
    }

    @Test
    void aSecondHistoryIsFoundByAnAnchorAlthoughItsAnswersWereRemoved() throws Exception {
        try (ArchiveWriter writer = open()) {
            append(writer, 20, 0);
            confirm(writer.head());
        }
        disk.list("").forEach(this::deleteTree);
        disk.beside().delete("orders.key.head");
        number = 100;
        try (ArchiveWriter writer = open()) {
            append(writer, 30, 1);
        }
        assertThat(findings())
                .singleElement()
                .asString()
                .contains("the head of 21 leaves that the anchor elsewhere has is of another tree");
    }

    private void deleteTree(String name) {
        try {
            if (name.endsWith("/")) {
                for (String each : disk.list(name.substring(0, name.length() - 1))) {
                    deleteTree(name + each);
                }
            } else {
                disk.delete(name);
            }
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Test
    void anAnswerThatWasChangedIsAFinding() throws Exception {
        Checkpoint head;
        try (ArchiveWriter writer = open()) {
            append(writer, 20, 0);
            head = writer.head();
            confirm(head);
        }
        String answer = Anchors.answerName("elsewhere", 21);
        String note = Anchors.headName("elsewhere", 21);
        byte[] right = disk.read(answer);
        for (String wrong : List.of("", "junk\n", new String(right, UTF_8).replace("offset: 0", "offset: 7"))) {
            disk.put(answer, wrong.getBytes(UTF_8));
            assertThat(findings())
                    .singleElement()
                    .asString()
                    .startsWith("ANCHOR: the answer")
                    .contains("does not hold");
        }
        disk.put(answer, right);
        disk.put(note, "junk".getBytes(UTF_8));
        assertThat(findings()).singleElement().asString().contains("has no head in");
        disk.put(
                note,
                ArchiveReader.head(Written.archive(20, 20))
                        .toString()
                        .replace("21\n", "20\n")
                        .getBytes(UTF_8));
        assertThat(findings()).singleElement().asString().contains("is that to a head of 20");
        disk.delete(note);
        assertThat(findings()).singleElement().asString().contains("has lost its head");
    }

    @Test
    void aHeadThatACrashLeftHalfWrittenInTheFileIsNone() throws Exception {
        try (ArchiveWriter writer = open()) {
            append(writer, 10, 0);
            String half = writer.head().toString();
            Files.writeString(file, half.substring(0, half.length() - 9), StandardOpenOption.CREATE_NEW);
            append(writer, 10, 0);
            confirm(writer.head());
        }
        assertThat(FileAnchor.check(file).heads("example.com/orders")).hasSize(1);
        assertThat(findings()).isEmpty();
    }

    // --------------------------------------------------------------------------------------------------- as promised

    private List<String> unsealed(ArchiveWriter writer) throws IOException {
        writer.commit();
        List<String> ranges = new ArrayList<>();
        for (Finding each : verify(Files.exists(file)).findings()) {
            assertThat(each.kind()).isEqualTo(Finding.Kind.UNSEALED);
            ranges.add(each.first() + ".." + each.last());
        }
        return ranges;
    }

    @Test
    void leavesThatNoAnchorConfirmedInTimeAreNamed() throws Exception {
        try (ArchiveWriter writer = open()) {
            append(writer, 10, 0);
            writer.act(Leaf.Kind.SEALING, sealing(100, 600).text());
            append(writer, 10, 600);
            assertThat(unsealed(writer)).isEmpty();
            append(writer, 1, 1);
            assertThat(unsealed(writer)).containsExactly("11..22");
            confirm(writer.head());
            assertThat(unsealed(writer)).as("confirmed too late").containsExactly("11..22");
            append(writer, 5, 3_000);
            confirm(writer.head());
            assertThat(unsealed(writer)).containsExactly("11..22");
            assertThat(ReportText.plain(verify(true)))
                    .endsWith("Nothing was changed, and not all of it was sealed as promised.\n");
        }
    }

    @Test
    void moreLeavesThanPromisedMayWaitForOneAnswerAlone() throws Exception {
        try (ArchiveWriter writer = open()) {
            writer.act(Leaf.Kind.SEALING, sealing(100, 600).text());
            append(writer, 60, 0);
            append(writer, 60, 60);
            assertThat(unsealed(writer)).isEmpty();
            append(writer, 1, 1);
            assertThat(unsealed(writer)).containsExactly("1..122");
        }
    }

    @Test
    void aClockThatStepsIsNoFailureAndHidesNone() throws Exception {
        try (ArchiveWriter writer = open()) {
            writer.act(Leaf.Kind.SEALING, sealing(100, 600).text());
            append(writer, 10, 0);
            now.addAndGet(86_400 * SECOND);
            writer.act(Leaf.Kind.CLOCK_STEP, "step-ns: " + 86_400 * SECOND + "\n");
            append(writer, 10, 10);
            assertThat(unsealed(writer)).isEmpty();
            now.addAndGet(-86_400 * SECOND);
            writer.act(Leaf.Kind.CLOCK_STEP, "step-ns: " + -86_400 * SECOND + "\n");
            append(writer, 10, 591);
            assertThat(unsealed(writer)).containsExactly("1..33");
        }
    }

    /** Somebody with the key can write an old history anew, and have it stamped. The stamps are of then. */
    @Test
    void theLongestTimeFromALeafToItsStampIsTold() throws Exception {
        try (ArchiveWriter writer = open()) {
            append(writer, 10, 0);
            confirm(writer.head());
            append(writer, 300, 300);
            append(writer, 1, -200);
            append(writer, 600, 250);
            confirm(writer.head());
        }
        Duration year = Duration.ofDays(365);
        Verification.Report report = stamped(year);
        assertThat(report.findings()).isEmpty();
        assertThat(report.anchors()).extracting(Verification.Anchored::longest).containsExactly(year.plusSeconds(250));
        assertThat(ReportText.plain(report))
                .contains("it had the head of each leaf within " + (year.toSeconds() + 250) + " s");
        assertThat(ReportText.json(report)).contains("\"longestSeconds\":" + (year.toSeconds() + 250));
    }

    /** Verifies as if an authority had stamped each head so long after its last leaf. */
    private Verification.Report stamped(Duration after) throws IOException {
        AnswerCheck stamps = (head, answer) -> AnswerCheck.Result.confirmed(Instant.EPOCH
                .plusNanos(new ArchiveReader(disk, ArchiveReader.head(disk))
                        .leaf(head.size() - 1)
                        .takenNanos())
                .plus(after));
        return Verification.of(disk)
                .key(Written.key(1).verifier())
                .threads(1)
                .anchor("elsewhere", stamps)
                .run();
    }

    @Test
    void aPromiseHoldsUntilTheNextOne() throws Exception {
        try (ArchiveWriter writer = open()) {
            writer.act(Leaf.Kind.SEALING, sealing(100, 60).text());
            append(writer, 10, 0);
            confirm(writer.head());
            writer.act(Leaf.Kind.SEALING, sealing(100, 3_600).text());
            append(writer, 10, 3_000);
            confirm(writer.head());
            append(writer, 10, 0);
            writer.act(Leaf.Kind.SEALING, new Sealing(List.of(), 100, 60).text());
            append(writer, 10, 86_400);
            assertThat(unsealed(writer)).isEmpty();
        }
    }
}

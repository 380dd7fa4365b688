// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.Durability;
import io.burstlog.RecordBuffer;
import io.burstlog.Segments;
import io.burstlog.StreamConfig;
import io.burstlog.archive.Archiver;
import io.burstlog.archive.ArchiverConfig;
import io.burstlog.archive.Finding;
import io.burstlog.archive.KafkaAnchor;
import io.burstlog.archive.SigningKey;
import io.burstlog.archive.Verification;
import io.burstlog.archive.VerifierKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An archive whose heads are in a topic. */
class ArchiveAnchorIT {

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private VerifierKey key;

    private Path path(String name) {
        return directory.resolve(name);
    }

    /** Archives so many records, and ends. */
    private void archive(BurstLog log, BurstStream stream, String archive, String topic, int records)
            throws IOException {
        RecordBuffer record = RecordBuffer.allocate(64, 64);
        for (int i = 0; i < records; i++) {
            stream.append(record.clear().put(ByteBuffer.wrap("order\n".getBytes(UTF_8))), 1 + i);
        }
        assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
        Path head = path(archive + ".head");
        if (!Files.exists(head)) {
            Archiver.create(path(archive), path("orders.key"), head);
        }
        Archiver archiver = Archiver.start(ArchiverConfig.builder()
                .folder(path("orders.segments").toString())
                .archive(path(archive).toString())
                .key(path("orders.key").toString())
                .head(head.toString())
                .consumer("to-" + archive)
                .anchor(new KafkaAnchor("topic", topic, SharedBroker.get().client()))
                .build());
        archiver.close(LONG_ENOUGH);
        assertThat(archiver.failure()).isNull();
    }

    private Verification.Report verify(String archive, String topic) throws IOException {
        return Verification.of(path(archive))
                .key(key)
                .anchor("topic", KafkaAnchor.check(topic, SharedBroker.get().client()))
                .run();
    }

    @Test
    void aTopicConfirmsTheHeadAndFindsAnOlderStateAndASecondHistory() throws Exception {
        String topic = "heads-of-archives";
        SharedBroker.get().createTopic(topic, 1);
        key = SigningKey.make("example.com/orders", path("orders.key")).verifier();
        try (BurstLog log = BurstLog.open(BurstConfig.builder()
                .ring(path("orders.ring").toString())
                .ringBytes(4 << 20)
                .durability(Durability.PROCESS)
                .build())) {
            BurstStream stream = log.stream(
                    "orders",
                    StreamConfig.builder()
                            .fileName(path("orders.log").toString())
                            .segments(Segments.in(path("orders.segments").toString()))
                            .build());
            archive(log, stream, "archive", topic, 100);
            copy(path("archive"), path("older"));
            archive(log, stream, "archive", topic, 100);
            Verification.Report report = verify("archive", topic);
            assertThat(report.findings()).isEmpty();
            assertThat(report.anchors()).singleElement().satisfies(anchor -> {
                assertThat(anchor.isChecked()).isTrue();
                assertThat(anchor.behind()).isZero();
                assertThat(anchor.time()).isNotNull();
            });
            assertThat(anchorFindings("older", topic))
                    .isNotEmpty()
                    .allMatch(each -> each.contains("is newer than the archive"));

            archive(log, stream, "second", topic, 300);
            assertThat(anchorFindings("second", topic)).anyMatch(each -> each.contains("is of another tree"));
        }
    }

    private List<String> anchorFindings(String archive, String topic) throws IOException {
        return verify(archive, topic).findings().stream()
                .filter(each -> each.kind() == Finding.Kind.ANCHOR)
                .map(Finding::sentence)
                .toList();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> tree = Files.walk(from)) {
            for (Path each : tree.sorted(Comparator.naturalOrder()).toList()) {
                Files.copy(each, to.resolve(from.relativize(each).toString()));
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstReader;
import io.burstlog.archive.ArchiveReader;
import io.burstlog.archive.Archiver;
import io.burstlog.archive.ArchiverConfig;
import io.burstlog.archive.Finding;
import io.burstlog.archive.Leaf;
import io.burstlog.archive.Proof;
import io.burstlog.archive.SigningKey;
import io.burstlog.archive.Verification;
import io.burstlog.archive.VerifierKey;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.xml.XmlConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** {@code <Archive>} in {@code <Burst>}: the archive has each line of the log file, once, in order. */
@Timeout(300)
class ArchiveElementIT {

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);
    private static final String LIMITLESS = Long.toString(Long.MAX_VALUE);

    private Path directory;
    private Path archive;
    private Path keyFile;
    private VerifierKey key;
    private Installation installation;

    /** A test that has no archive yet makes it itself. */
    @BeforeEach
    void prepare(TestInfo test) throws IOException {
        directory = Installation.emptyDirectory(
                "archive-" + test.getTestMethod().orElseThrow().getName());
        archive = directory.resolve("archive");
        keyFile = directory.resolve("orders.key");
        key = SigningKey.make("example.com/orders", keyFile).verifier();
        Path ring = directory.resolve("it.ring");
        Path file = Installation.fileOf(directory, 1);
        Path configuration = Files.writeString(directory.resolve("log4j2.xml"), """
            <Configuration status="warn"><Appenders>
              <Burst name="Log" ring="%s" ringSize="4 MB" fileName="%s" shutdownTimeout="5 min" drainInterval="10 ms">
                <PatternLayout pattern="%%m%%n"/>
                <Archive archive="%s" key="%s" interval="5 ms">
                  <Anchor name="elsewhere" file="%s"/>
                </Archive>
              </Burst>
            </Appenders><Loggers><Root level="info"><AppenderRef ref="Log"/></Root></Loggers></Configuration>
            """.formatted(
                        ring, file, archive, keyFile, directory.resolve("heads")));
        installation = new Installation(directory, ring, file, configuration);
    }

    private Process start(String word, String count) throws IOException {
        return ChildJvm.start(installation, LogsOrders.class, word, count);
    }

    private String said() throws IOException {
        return Files.exists(installation.errors()) ? Files.readString(installation.errors()) : "";
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private void await(Condition condition) throws IOException, InterruptedException {
        long end = System.nanoTime() + LONG_ENOUGH.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime())
                    .as("the end of patience; said:%n%s", said())
                    .isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private long size() throws IOException {
        return ArchiveReader.open(archive).size();
    }

    private void requireEnd(Process child) throws IOException, InterruptedException {
        assertThat(child.waitFor(LONG_ENOUGH.toSeconds(), TimeUnit.SECONDS)).isTrue();
        installation.requireSuccess(child);
    }

    private Verification.Report verify() throws IOException {
        return Verification.of(archive).key(key).run();
    }

    /** Returns how many lines there are. */
    private int requireEachLineOnce() throws IOException {
        Verification.Report report = verify();
        assertThat(report.findings()).isEmpty();
        ArchiveReader reader = ArchiveReader.open(archive);
        List<String> archived = new ArrayList<>();
        for (long index = 0; index < reader.size(); index++) {
            if (reader.leaf(index).kind() == Leaf.Kind.RECORD) {
                archived.add(new String(reader.payload(index), UTF_8).stripTrailing());
            }
        }
        assertThat(archived).isEqualTo(Files.readAllLines(installation.file()));
        return archived.size();
    }

    /** Asks as an auditor does, while another process archives. */
    private void ask() throws IOException {
        Verification.Report report = verify();
        // The archiver may be ahead of the head that was read.
        assertThat(report.findings())
                .as("%s", report.head())
                .allMatch(finding -> finding.kind() == Finding.Kind.BEHIND);
        ArchiveReader reader = ArchiveReader.open(archive);
        long index = reader.size() - 1;
        Leaf leaf = reader.leaf(index);
        if (leaf.kind() == Leaf.Kind.RECORD) {
            assertThat(reader.find(leaf.sequence())).isEqualTo(index);
            Proof proof = Proof.of(reader.prove(index).toString());
            assertThat(proof.check(key, reader.payload(index))).isNull();
        }
        long before = 0;
        try (BurstReader records =
                BurstReader.of(archive.toString()).fromOldest().open()) {
            for (var record : records) {
                assertThat(record.sequence()).isGreaterThan(before);
                before = record.sequence();
            }
        }
    }

    @Test
    void theHostIsKilledAndEachRecordIsArchivedOnceWhileOthersAsk() throws Exception {
        Archiver.create(archive, keyFile, null);
        for (int kill = 1; kill <= 3; kill++) {
            long before = size();
            Process host = start("host" + kill, LIMITLESS);
            await(() -> size() > before + 1_000);
            for (int round = 0; round < 5; round++) {
                ask();
            }
            ChildJvm.kill(host);
            ask();
        }
        requireEnd(start("last", "500"));
        assertThat(requireEachLineOnce()).isGreaterThan(3_500);
        assertThat(archive.resolve("anchors/elsewhere")).isNotEmptyDirectory();
        assertThat(said()).doesNotContain("ERROR", "WARN", "Exception");
    }

    @Test
    void ofTwoArchiversOneIsRefusedAndTheLogGoesOn() throws Exception {
        Archiver.create(archive, keyFile, null);
        Process host = start("first", LIMITLESS);
        await(() -> size() > 100);
        String segments = installation.file() + ".segments";
        ArchiverConfig config = ArchiverConfig.builder()
                .folder(segments)
                .archive(archive.toString())
                .key(keyFile.toString())
                .consumer("other")
                .build();
        try (Archiver second = Archiver.start(config)) {
            assertThat(second.awaitEnd(LONG_ENOUGH)).isTrue();
            assertThat(second.failure()).contains("has an archiver");
        }
        ChildJvm.kill(host);
        try (Archiver takesOver = Archiver.start(config)) {
            await(() -> takesOver.head() != null);
            requireEnd(start("refused", "200"));
            assertThat(said()).contains("gets no more records from here: the archive " + archive + " has an archiver");
            takesOver.close(LONG_ENOUGH);
        }
        assertThat(Files.readString(installation.file())).endsWith("refused order 200\n");
        requireEnd(start("again", "200"));
        assertThat(requireEachLineOnce()).isGreaterThan(500);
    }

    @Test
    void withoutAnArchiveRecordsWaitUntilThereIsOne() throws Exception {
        Process host = start("waits", LIMITLESS);
        await(() -> said().contains("there is no archive in " + archive));
        // At once, as a file system that is mounted: an archiver that meets create at work is refused.
        Path made = directory.resolve("made");
        Archiver.create(made, keyFile, null);
        Files.move(made, archive);
        await(() -> size() > 100);
        ChildJvm.terminate(host);
        assertThat(host.waitFor(LONG_ENOUGH.toSeconds(), TimeUnit.SECONDS)).isTrue();
        requireEachLineOnce();
        assertThat(said().lines().filter(line -> line.contains("there is no archive")))
                .hasSize(1);
        assertThat(said()).contains("the archive " + archive + " gets records again");
    }

    private static XmlConfiguration configuration(LoggerContext context, String xml) throws IOException {
        return new XmlConfiguration(context, new ConfigurationSource(new ByteArrayInputStream(xml.getBytes(UTF_8))));
    }

    /** Else what they log could wait for space that only they free. */
    private void requireThreadsOfShippers() throws IOException, InterruptedException {
        await(() -> threads("HttpClient-.*").size() > 0);
        assertThat(threads("burstlog-archive anchor w1")).isNotEmpty();
        for (Thread each : threads("burstlog-archive.*|HttpClient-.*")) {
            ThreadGroup group = each.getThreadGroup(); // null: it has ended
            assertThat(group == null ? "burstlog-shippers" : group.getName())
                    .as("group of %s", each)
                    .isEqualTo("burstlog-shippers");
        }
    }

    private static List<Thread> threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().matches(name))
                .toList();
    }

    /** The archiver is replaced, goes on, is taken away with its element, and comes back. */
    @Test
    void newConfigurationsUnderLoadLoseAndDoubleNothing() throws Exception {
        Archiver.create(archive, keyFile, null);
        String xml = Files.readString(installation.configuration())
                .replaceAll(
                        "<Anchor .*/>",
                        "<Anchor name=\"w1\" witness=\"http://127.0.0.1:1\" key=\"witness.example.com/w1+094ec787"
                                + "+BLw31eqW/rp+jGPeCPnewtxMBTP/RKBXQB+VRIq2ekTq\"/>");
        String[] configurations = {
            xml,
            xml.replace("ringSize=", "ack=\"enqueued\" ringSize="),
            xml.replace("interval=\"5 ms\"", "interval=\"6 ms\""),
            xml.replaceAll("(?s)<Archive.*</Archive>", "")
                    .replace("ringSize=", "segments=\"" + installation.file() + ".segments\" ringSize=")
        };
        LoggerContext context = new LoggerContext("archive");
        context.start(configuration(context, configurations[0]));
        Logger logger = context.getLogger("Gateway");
        Thread logging = new Thread(() -> {
            for (int i = 1; !Thread.currentThread().isInterrupted(); i++) {
                logger.info("order {}", i);
                LockSupport.parkNanos(1_000_000);
            }
        });
        logging.start();
        for (int i = 1; i <= 6; i++) {
            if (i % 4 != 0) {
                long before = size();
                await(() -> size() > before + 50);
                requireThreadsOfShippers();
            }
            context.reconfigure(configuration(context, configurations[i % 4]));
        }
        logging.interrupt();
        logging.join();
        context.stop();
        assertThat(requireEachLineOnce()).isGreaterThan(250);
    }
}

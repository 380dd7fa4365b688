// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import io.burstlog.copy.BurstCopier;
import io.burstlog.copy.CopyPlace;
import io.burstlog.copy.CopySettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Applications that are killed while their ring is copied, and what is recovered when the host is gone. */
@Timeout(300)
class KafkaCopyIT {

    private static final int RUNS = 4;
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

    @Test
    void allThatAKilledApplicationKnewToBeCopiedIsRecoveredOnceAndInOrder() throws Exception {
        Broker broker = SharedBroker.get();
        broker.createTopic("copied-host", 1);
        Path work = Path.of("target", "copied-host").toAbsolutePath();
        SharedBroker.deleteTree(work);
        Path host = Files.createDirectories(work.resolve("host"));
        List<Integer> known = new ArrayList<>();
        String ring = null;
        for (int run = 1; run <= RUNS; run++) {
            Path said = work.resolve("said" + run);
            Process process = Broker.java(
                    said, CopiedHost.class.getName(), host.toString(), broker.servers(), "copied-host", "" + run);
            while (told(said) < 100 * run) {
                assertThat(process.isAlive()).as(() -> said.toString()).isTrue();
                Thread.sleep(5);
            }
            Broker.kill(process);
            known.add(told(said));
            ring = Files.readAllLines(said).stream()
                    .filter(line -> line.startsWith("ring "))
                    .findFirst()
                    .orElseThrow()
                    .substring("ring ".length());
        }
        String properties = "bootstrap.servers=" + broker.servers();
        String[] compare = {
            "compare",
            ring,
            "--topic",
            "copied-host",
            "--with",
            host.resolve("copied.log").toString(),
            "--property",
            properties
        };
        assertThat(CopyMain.run(compare, System.out, System.err)).isZero();

        SharedBroker.deleteTree(host);
        Path recovered = work.resolve("recovered");
        String[] recover = {
            "recover", ring, "--topic", "copied-host", "--to", recovered.toString(), "--property", properties
        };
        assertThat(CopyMain.run(recover, System.out, System.err)).isZero();
        List<String> lines = Files.readAllLines(recovered.resolve("copied.log"));
        for (int run = 1; run <= RUNS; run++) {
            String prefix = run + " ";
            List<String> ofRun =
                    lines.stream().filter(line -> line.startsWith(prefix)).toList();
            assertThat(ofRun).hasSizeGreaterThanOrEqualTo(known.get(run - 1));
            assertThat(ofRun)
                    .containsExactlyElementsOf(IntStream.rangeClosed(1, ofRun.size())
                            .mapToObj(number -> prefix + number)
                            .toList());
        }
        assertThat(lines)
                .as("the runs, one behind the other")
                .isSortedAccordingTo(Comparator.comparing(line -> line.charAt(0)));

        Path there = work.resolve("new.ring");
        recover[4] = "--into";
        recover[5] = there.toString();
        assertThat(CopyMain.run(recover, System.out, System.err)).isZero();
        Path file = host.resolve("copied.log");
        BurstLog.open(BurstConfig.builder()
                        .ring(there.toString())
                        .fileName(file.toString())
                        .durability(Durability.PROCESS)
                        .build())
                .close();
        assertThat(Files.readAllLines(file)).isEqualTo(lines);
    }

    /** The ring has let go of what the old topic had. */
    @Test
    void whatIsGoneWithATopicThatWasMadeAnewIsNamed() throws Exception {
        Broker broker = SharedBroker.get();
        broker.createTopic("made-anew", 1);
        Path work = Path.of("target", "made-anew").toAbsolutePath();
        SharedBroker.deleteTree(work);
        Files.createDirectories(work);
        List<String> events = new CopyOnWriteArrayList<>();
        BurstLog log = BurstLog.open(BurstConfig.builder()
                .ring(work.resolve("orders.ring").toString())
                .fileName(work.resolve("orders.log").toString())
                .durability(Durability.PROCESS)
                .copy("B")
                .listener(event -> events.add(event.severity() + " " + event.text()))
                .build());
        Map<String, String> properties =
                Map.of("bootstrap.servers", broker.servers(), "transaction.timeout.ms", "3000");
        BurstCopier copier = BurstCopier.start(
                log,
                CopySettings.builder()
                        .atLeast(new CopyPlace(CopyPlace.Medium.MEMORY, 1, 0, ""))
                        .store(() -> new KafkaCopyStore(log.ringId(), "made-anew", properties))
                        .build());
        for (int i = 1; i <= 100; i++) {
            log.append("order\n".getBytes(UTF_8));
        }
        assertThat(log.awaitCopied(100, LONG_ENOUGH)).isTrue();
        assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
        while (!broker.openTransactionsOf(log.ringId()).isEmpty()) {
            Thread.sleep(50);
        }
        broker.deleteTopic("made-anew");
        broker.createTopic("made-anew", 1);
        assertThat(log.awaitCopied(log.append("order\n".getBytes(UTF_8)), LONG_ENOUGH))
                .isTrue();
        log.close();
        copier.close();
        assertThat(events)
                .anyMatch(text -> text.startsWith("WARN copy B of ring ")
                        && text.contains(" goes on with record 101: records 1 to 100 are not in it"));
    }

    /** The highest number that a process knew to be copied. */
    private static int told(Path said) throws Exception {
        return Files.readAllLines(said).stream()
                .filter(line -> line.matches("copied \\d+"))
                .mapToInt(line -> Integer.parseInt(line.substring("copied ".length())))
                .max()
                .orElse(0);
    }
}

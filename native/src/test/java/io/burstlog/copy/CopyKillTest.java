// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import static io.burstlog.copy.CopyRig.LONG_ENOUGH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kills of a process with a ring and a copy of it. */
@Tag("oldest-jdk") // SIGKILL leaves no JDK a say.
@Timeout(300)
class CopyKillTest {

    private static final int ROUNDS = 8;
    private static final int THREADS = 4;

    /** Appends until it is killed, and says which records have two copies. */
    static final class Gateway {
        private Gateway() {}

        public static void main(String[] arguments) throws Exception {
            Path folder = Path.of(arguments[0]);
            BurstLog log = open(folder, Path.of(arguments[1]));
            start(log, folder, Long.parseLong(arguments[2]));
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                new Thread(() -> append(log, thread)).start();
            }
        }

        private static void append(BurstLog log, int thread) {
            for (int i = 0; true; i++) {
                byte[] line = ("order " + i + " of thread " + thread + "\n").getBytes(StandardCharsets.UTF_8);
                long sequence = log.append(line);
                if (log.awaitCopied(sequence, LONG_ENOUGH)) {
                    System.out.println(sequence);
                }
            }
        }
    }

    private static BurstLog open(Path folder, Path ring) {
        return BurstLog.open(BurstConfig.builder()
                .ring(ring.toString())
                .fileName(folder.resolve("orders.log").toString())
                .ringBytes(2 << 20)
                .durability(Durability.PROCESS)
                .copy("B")
                .build());
    }

    private static BurstCopier start(BurstLog log, Path folder, long seed) {
        return BurstCopier.start(
                log, CopySettings.builder().store(() -> storeIn(folder, seed)).build());
    }

    private static FileStore storeIn(Path folder, long seed) {
        try {
            return new FileStore(folder.resolve("copy"), seed);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private static Set<Long> killedAfter(int records, Path folder, Path ring, long seed) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
        if (Runtime.version().feature() >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Gateway.class.getName()));
        command.addAll(List.of(folder.toString(), ring.toString(), Long.toString(seed)));
        Process gateway = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Set<Long> copied = new TreeSet<>();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(gateway.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.matches("[0-9]+")) {
                    copied.add(Long.parseLong(line));
                }
                if (copied.size() == records) {
                    gateway.toHandle().destroyForcibly(); // Process.destroyForcibly would close the stream
                }
            }
        }
        assertThat(gateway.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(copied).as("what round " + seed + " said").hasSizeGreaterThanOrEqualTo(records);
        return copied;
    }

    @Test
    void afterKillsTheCopyHasEachRecordOnceInOrder(@TempDir Path folder) throws Exception {
        Path ring = folder.resolve("orders.ring");
        Random random = new Random(7);
        Set<Long> copied = new TreeSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            copied.addAll(killedAfter(20 + random.nextInt(400), folder, ring, round));
        }
        BurstLog log = open(folder, ring);
        BurstCopier copier = start(log, folder, ROUNDS);
        long last = log.append("the last one\n".getBytes(StandardCharsets.UTF_8));
        assertThat(log.awaitCopied(last, LONG_ENOUGH)).isTrue();
        log.close();
        copier.close();
        assertThat(copier.stats().missing()).isZero();
        List<CopyBlock> blocks = new ArrayList<>();
        try (FileStore store = storeIn(folder, 0)) {
            store.readBack(blocks::add);
            List<Long> inCopy = CopiedSequences.of(blocks);
            assertThat(inCopy).isEqualTo(LongStream.rangeClosed(1, last).boxed().toList());
            assertThat(inCopy).containsAll(copied);
            CopyRecovery.Report compared = CopyRecovery.of(store).compare(folder.resolve("orders.log"), null);
            assertThat(compared.findings()).isEmpty();
        }
    }

    /**
     * As after a cut of power: the ring was in memory, and the log file has no record that the drain had not reached.
     */
    @Test
    void whatARingInMemoryHadIsInItsCopy(@TempDir Path folder) throws Exception {
        Path memory = Path.of("/dev/shm");
        assumeTrue(
                Files.isDirectory(memory) && Files.getFileStore(memory).type().equals("tmpfs"),
                "there is no tmpfs at /dev/shm, so no ring in memory was lost");
        Random random = new Random(11);
        long inTheCopyAlone = 0;
        for (int round = 0; round < 3; round++) {
            Path disk = Files.createDirectory(folder.resolve("round-" + round));
            Path ring = Files.createTempDirectory(memory, "burst-copy-").resolve("orders.ring");
            Set<Long> copied;
            try {
                copied = killedAfter(200 + random.nextInt(2000), disk, ring, round);
            } finally {
                Files.deleteIfExists(ring);
                Files.delete(ring.getParent());
            }
            Path log = disk.resolve("orders.log");
            byte[] drained = Files.readAllBytes(log);
            try (FileStore store = storeIn(disk, 0)) {
                List<CopyBlock> blocks = new ArrayList<>();
                store.readBack(blocks::add);
                assertThat(CopiedSequences.of(blocks)).containsAll(copied);
                CopyRecovery.Report compared = CopyRecovery.of(store).compare(log, null);
                assertThat(compared.findings()).isEmpty();
                CopyRecovery.of(store).to(disk.resolve("recovered"));
            }
            byte[] recovered = Files.readAllBytes(disk.resolve("recovered").resolve("orders.log"));
            assertThat(recovered).startsWith(drained);
            inTheCopyAlone += recovered.length - drained.length;
        }
        assertThat(inTheCopyAlone).isPositive();
    }
}

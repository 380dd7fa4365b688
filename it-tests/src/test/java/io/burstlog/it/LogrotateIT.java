// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** logrotate with {@code create} and {@code delaycompress}, as in docs/deployment.md, while threads log. */
@Tag("oldest-jdk") // The engine follows the files, not the JDK.
@Timeout(600)
class LogrotateIT {
    private static final int THREADS = 4;
    private static final int ROTATIONS = 8;
    private static final int LINES = 40_000;
    private static final long PATIENCE_MILLIS = 240_000;

    @Test
    void everyLineOfALogThatIsRotatedUnderLoadIsInOneOfTheFilesOnceAndInOrder() throws Exception {
        Path logrotate = Path.of("/usr/sbin/logrotate");
        if (!Files.isExecutable(logrotate)) {
            System.out.println("SKIPPED: LogrotateIT: there is no " + logrotate);
        }
        assumeTrue(Files.isExecutable(logrotate));
        Installation installation = Installation.fresh("logrotate");
        Path log = installation.file();
        Path rules = Files.writeString(installation.directory().resolve("rules"), """
                %s {
                    rotate 100
                    create
                    compress
                    delaycompress
                    missingok
                    notifempty
                }
                """.formatted(log));

        Process process = ChildJvm.start(installation, VictimOfKills.class, "1", "" + THREADS, "false");
        Acknowledged said = new Acknowledged(process);
        try {
            goOn(process);
            for (int rotation = 1; rotation <= ROTATIONS; rotation++) {
                awaitLines(process, said, LINES * rotation / (ROTATIONS + 1));
                // The file that is compressed next is complete: the writer has gone on to the new one.
                awaitBytes(log);
                Command.run(
                        logrotate.toString(),
                        "--force",
                        "--state",
                        installation.directory().resolve("state").toString(),
                        rules.toString());
            }
            awaitLines(process, said, LINES);
            goOn(process);
            assertThat(process.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS))
                    .as("the writer ends")
                    .isTrue();
            said.awaitEnd();
        } finally {
            ChildJvm.kill(process);
        }

        Path all = installation.directory().resolve("all");
        try (OutputStream out = Files.newOutputStream(all)) {
            for (int number = ROTATIONS; number >= 2; number--) {
                try (InputStream in = new GZIPInputStream(Files.newInputStream(Path.of(log + "." + number + ".gz")))) {
                    in.transferTo(out);
                }
            }
            Files.copy(Path.of(log + ".1"), out);
            Files.copy(log, out);
        }
        LogFile read = LogFile.read(all);
        read.holdsWhatWasAcknowledged(List.of(said), THREADS);
        assertThat(read.lines()).isGreaterThanOrEqualTo(LINES);
        assertThat(installation.fileNames())
                .as("no file beside those of logrotate")
                .hasSize(ROTATIONS + 1 + 6);
    }

    private static void goOn(Process process) throws Exception {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    private static void awaitLines(Process process, Acknowledged said, int lines) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
        while (said.linesOf(THREADS) < lines) {
            assertThat(process.isAlive()).as("the writer lives").isTrue();
            assertThat(System.nanoTime())
                    .as("%d lines are acknowledged in time", lines)
                    .isLessThan(deadline);
            Thread.sleep(1);
        }
    }

    private static void awaitBytes(Path file) throws Exception {
        long deadline = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
        while (!Files.exists(file) || Files.size(file) == 0) {
            assertThat(System.nanoTime())
                    .as("%s gets its first line in time", file)
                    .isLessThan(deadline);
            Thread.sleep(1);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A listener hears changes of state. */
class EventsTest {

    @TempDir
    private Path directory;

    @Test
    void aLogThatGoesToAnotherFileTellsItsListener() throws IOException {
        TempLog files = new TempLog(directory, Binding.AUTO);
        BurstConfig.Builder config = files.config();
        Queue<String> pager = new ConcurrentLinkedQueue<>();
        // doc: listener
        config.listener(event -> {
            if (event.severity() != BurstEvent.Severity.INFO) {
                pager.add(event.severity() + " " + event.text());
            }
        });
        // end
        Path other;
        try (BurstLog log = BurstLog.open(config.build())) {
            log.append(TempLog.line("order 1"));
            assertThat(log.awaitDrained(TempLog.LONG_ENOUGH)).isTrue();
            assertThat(pager).isEmpty();
            Files.write(files.file(), new byte[0]); // as `> orders.log` does
            log.append(TempLog.line("order 2"));
            assertThat(log.awaitDrained(TempLog.LONG_ENOUGH)).isTrue();
            other = Path.of(log.currentFile());
        }
        assertThat(List.copyOf(pager))
                .anyMatch(line -> line.startsWith("ERROR log file " + files.file() + " was cut by others"));
        assertThat(Files.readAllLines(other)).contains("order 2");
    }
}

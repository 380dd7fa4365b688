// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that ends when its ring has failed, though nobody logs. */
@Timeout(120)
class HaltTest {

    private static final int EXIT_CODE = 70;

    /** Loses its ring file, and logs nothing more. */
    static final class Service {
        private Service() {}

        public static void main(String[] arguments) throws Exception {
            TempLog temp = new TempLog(Path.of(arguments[0]), Binding.AUTO);
            BurstConfig.Builder config = temp.config();
            // doc: halt
            AtomicReference<BurstLog> opened = new AtomicReference<>();
            config.listener(event -> {
                BurstLog log = opened.get();
                if (log != null && log.stats().state() == BurstStats.State.FAILED) {
                    Runtime.getRuntime().halt(EXIT_CODE);
                }
            });
            // end
            opened.set(BurstLog.open(config.build()));
            opened.get().append(TempLog.line("order 1"));
            Files.delete(temp.ring());
            Thread.sleep(TempLog.LONG_ENOUGH.toMillis());
        }
    }

    @Test
    void aListenerEndsTheProcessWhenTheRingHasFailed(@TempDir Path directory) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
        if (Runtime.version().feature() >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), Service.class.getName(), directory.toString()));
        Process service = new ProcessBuilder(command).inheritIO().start();
        assertThat(service.waitFor(1, TimeUnit.MINUTES))
                .as("the service has ended")
                .isTrue();
        assertThat(service.exitValue()).isEqualTo(EXIT_CODE);
    }
}

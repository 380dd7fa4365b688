// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The ring and the log file of one test. */
record TempLog(Path directory, Binding binding) {

    static final Duration LONG_ENOUGH = Duration.ofSeconds(30);

    /** The smallest possible ring. */
    static final long SMALL_RING_BYTES = 2 << 20;

    Path ring() {
        return directory.resolve("orders.ring");
    }

    Path file() {
        return directory.resolve("orders.log");
    }

    /** The directory may be memory: more could not be promised. */
    BurstConfig.Builder config() {
        return BurstConfig.builder()
                .ring(ring().toString())
                .fileName(file().toString())
                .ringBytes(4 * SMALL_RING_BYTES)
                .durability(Durability.PROCESS)
                // After a close the file must have everything, on a disk of any speed.
                .shutdownTimeout(Duration.ofMinutes(5))
                .binding(binding);
    }

    /** The same with a main stream of other values. */
    BurstConfig.Builder config(StreamConfig.Builder main) {
        return config().fileName(null).main(main.build());
    }

    StreamConfig.Builder main() {
        return StreamConfig.builder().fileName(file().toString());
    }

    BurstLog open() {
        return BurstLog.open(config().build());
    }

    List<String> lines() throws IOException {
        return Files.readAllLines(file());
    }

    static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }
}

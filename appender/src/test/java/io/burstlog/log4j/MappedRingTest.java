// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedRingTest {

    private static final Path MEMORY = Path.of("/dev/shm");

    @TempDir
    Path temporary;

    @Test
    void io_mapped_writes_the_ring_as_mapped_memory() throws Exception {
        Skipped.unless(
                Files.isDirectory(MEMORY) && Files.getFileStore(MEMORY).type().equals("tmpfs"),
                MEMORY + " is no memory that can be mapped");
        final Path ring = Files.createTempFile(MEMORY, "burst-mapped", ".ring");
        try {
            final String burst = "<Burst name=\"Orders\" ring=\"" + ring + "\" ringSize=\"4 MB\" fileName=\""
                    + temporary.resolve("orders.log") + "\" io=\"mapped\" durability=\"process\">"
                    + OrdersDirectory.LEVEL_AND_MESSAGE + "</Burst>";
            try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(burst))) {
                log4j.logger().info("order 1");
                assertThat(log4j.allIsDurable()).isTrue();
                assertThat(Files.readString(Path.of("/proc/self/maps")))
                        .as("mappings of this process")
                        .contains(ring.toString());
                assertThat(log4j.status(Level.WARN)).isEmpty();
            }
            assertThat(new OrdersDirectory(temporary).lines()).containsExactly("INFO order 1");
        } finally {
            Files.delete(ring);
        }
    }
}

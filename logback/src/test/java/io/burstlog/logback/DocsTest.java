// SPDX-License-Identifier: Apache-2.0
package io.burstlog.logback;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocsTest {

    @TempDir
    Path folder;

    @Test
    void the_configuration_of_the_page_is_one() throws Exception {
        String page = Files.readString(Path.of("../docs/logback.md"));
        String configuration = page.split("```xml\n")[1]
                .split("```")[0]
                .replace("/var/lib/gateway", folder.toString())
                .replace(">logs/", ">" + folder + "/logs/");
        try (RunningLogback logback = RunningLogback.of(configuration)) {
            logback.logger().info("order 1");
            logback.logger().warn("order 2");
            assertThat(logback.errors()).isEmpty();
            assertThat(logback.warnings()).isEmpty();
        }
        assertThat(folder.resolve("logs/orders.log")).content().contains("orders order 1\n", "orders order 2\n");
        assertThat(folder.resolve("logs/audit.log"))
                .content()
                .contains(" order 2\n")
                .doesNotContain("order 1");
    }
}

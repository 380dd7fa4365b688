// SPDX-License-Identifier: Apache-2.0
package io.burstlog.jul;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocsTest {

    @TempDir
    Path folder;

    @Test
    void the_configuration_of_the_page_is_one() throws Exception {
        String page = Files.readString(Path.of("../docs/jul.md"));
        String configuration = page.split("```properties\n")[1]
                .split("```")[0]
                .replace("/var/lib/gateway", folder.toString())
                .replace("= logs/", "= " + folder + "/logs/");
        LogManager.getLogManager()
                .readConfiguration(new ByteArrayInputStream(configuration.getBytes(StandardCharsets.UTF_8)));
        Logger logger = Logger.getLogger("orders");
        logger.info("order 1");
        logger.fine("order 2");
        LogManager.getLogManager().reset();
        assertThat(folder.resolve("logs/orders.log"))
                .content()
                .contains("order 1")
                .doesNotContain("order 2");
    }
}

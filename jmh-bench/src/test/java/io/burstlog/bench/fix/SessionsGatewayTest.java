// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.fix;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class SessionsGatewayTest {

    /** Without a ring: any appender of Log4j will do. */
    @Test
    void eachClientHasASessionAndEveryOrderIsConfirmed(@TempDir Path folder) throws Exception {
        Jvm jvm = new Jvm(
                Path.of(System.getProperty("java.home")), Runtime.version().feature(), "G1");
        GatewayRun.Setting setting =
                new GatewayRun.Setting(new GatewayRun.Kind(3, "File", true), jvm, new Placement(false), false, false);

        GatewayRun.Result result =
                GatewayRun.measure(setting, null, MarketOpen.steady(100, 300), folder.resolve("run"), 12);

        assertThat(result.response().getTotalCount()).isEqualTo(30);
        assertThat(result.late().getTotalCount()).isEqualTo(30);
        assertThat(folder.resolve("run")).doesNotExist();
    }
}

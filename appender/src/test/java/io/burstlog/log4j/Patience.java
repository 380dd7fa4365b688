// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** How long a test waits for what must come: so long that no slow disk and no busy host is taken for a bug. */
final class Patience {

    static final Duration TIME = Duration.ofMinutes(5);

    /** As an attribute of the appender: what a test logged is in the log file when Log4j has stopped. */
    static final String SHUTDOWN_TIMEOUT = "shutdownTimeout=\"5 min\"";

    private Patience() {}

    static ConditionFactory await() {
        return Awaitility.await().atMost(TIME);
    }
}

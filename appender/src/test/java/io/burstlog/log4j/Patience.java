// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** A test waits so long for an expected event: no slow disk and no busy host is taken for a bug. */
final class Patience {

    static final Duration TIME = Duration.ofMinutes(5);

    /** An attribute of the appender: when Log4j has stopped, the log file has all that a test logged. */
    static final String SHUTDOWN_TIMEOUT = "shutdownTimeout=\"5 min\"";

    private Patience() {}

    static ConditionFactory await() {
        return Awaitility.await().atMost(TIME);
    }
}

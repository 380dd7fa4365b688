// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling.comparison;

import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;

/** What a run needs of the appender under test. */
final class Burst {

    private Burst() {}

    static void settle(final Appender appender) {}

    static RollingFileManager managerOf(final Appender appender) {
        throw new UnsupportedOperationException("not yet");
    }
}

// SPDX-License-Identifier: Apache-2.0

/** The Logback appender {@link io.burstlog.logback.BurstAppender}. */
module io.burstlog.logback {
    requires io.burstlog;
    requires transitive ch.qos.logback.core;

    exports io.burstlog.logback;
}

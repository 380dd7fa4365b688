// SPDX-License-Identifier: Apache-2.0

/** What the appenders of logging frameworks share; for these alone. */
module io.burstlog.bridge {
    requires transitive io.burstlog;

    exports io.burstlog.bridge;
}

// SPDX-License-Identifier: Apache-2.0

/** Figures of open rings as meters of Micrometer. */
module io.burstlog.micrometer {
    requires io.burstlog;
    requires java.management;
    requires transitive micrometer.core;

    exports io.burstlog.micrometer;
}

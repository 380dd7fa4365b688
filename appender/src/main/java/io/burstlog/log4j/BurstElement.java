// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.doors.Location;
import io.burstlog.doors.StreamTerms;
import io.burstlog.log4j.rolling.RollingSettings;
import java.util.List;

/**
 * The element {@code <Burst>} of a configuration, as it was read.
 *
 * @param location its ring and its log file, as far as it names them
 * @param complaint the reason why the element cannot be used; null if it can
 * @param terms its attributes; null if it cannot be used
 */
record BurstElement(Location location, String complaint, Terms terms) {

    /**
     * The attributes of an element that can be used.
     *
     * @param rolling the settings of rolling; null: the file is not rolled
     */
    record Terms(
            StreamTerms stream,
            RollingSettings rolling,
            AckRule ackRule,
            Advertisement advertisement,
            List<ShipperSettings> shippers) {}
}

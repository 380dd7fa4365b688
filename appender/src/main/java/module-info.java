// SPDX-License-Identifier: Apache-2.0

/** The Log4j 2 appender {@code <Burst>}. */
module io.burstlog.log4j {
    requires io.burstlog;
    requires org.apache.logging.log4j;
    requires transitive org.apache.logging.log4j.core;

    exports io.burstlog.log4j;

    uses io.burstlog.ShipperProvider;

    // Log4j sets the fields of the builder by reflection.
    opens io.burstlog.log4j to
            org.apache.logging.log4j.core;
}

// SPDX-License-Identifier: Apache-2.0

/** A log whose append returns when the record is durable. */
module io.burstlog {
    requires com.sun.jna;
    requires java.management;
    // Only programs that make checkpoints of their JVM have it.
    requires static org.crac;

    uses io.burstlog.copy.CopyProvider;

    exports io.burstlog;
    exports io.burstlog.copy;
    exports io.burstlog.jmx;
    // The core of Burstlog's own doors, and no API.
    exports io.burstlog.doors to
            io.burstlog.jul,
            io.burstlog.log4j,
            io.burstlog.logback,
            io.burstlog.otel;

    // JNA reads and writes the fields of the C structs by reflection.
    opens io.burstlog.binding to
            com.sun.jna;
}

// SPDX-License-Identifier: Apache-2.0

/** A log whose append returns when the record is durable. */
module io.burstlog {
    requires com.sun.jna;

    exports io.burstlog;

    // JNA reads and writes the fields of the C structs by reflection.
    opens io.burstlog.binding to
            com.sun.jna;
}

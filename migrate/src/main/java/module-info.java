// SPDX-License-Identifier: Apache-2.0

/** A program that changes the file appenders of a Log4j configuration to {@code <Burst>}. */
module io.burstlog.migrate {
    exports io.burstlog.migrate;
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/** The failures that ring and log file together must survive, the worst first. */
public enum Durability {
    /** Loss of power. */
    POWER,
    /** A crash of the operating system, but not loss of power. */
    OS_CRASH,
    /** The death of the process only: the medium is memory. */
    PROCESS
}

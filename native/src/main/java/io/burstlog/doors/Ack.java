// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

/** The promises that a log call may make when it returns. */
public enum Ack {
    /** The event is durable, and the copy of the ring has it, too. */
    COPIED,
    /** The event is durable. */
    DURABLE,
    /** The event is accepted; the engine makes it durable in the background. */
    ENQUEUED
}

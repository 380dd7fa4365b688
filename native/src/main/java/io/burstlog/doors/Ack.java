// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

/** What a log call promises when it returns. */
public enum Ack {
    /** The event is durable. */
    DURABLE,
    /** The event is accepted, and made durable in the background. */
    ENQUEUED
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.time.Instant;

/**
 * Something the engine has to tell the operator: what recovery found, a full ring, a stalled or changed log file, a
 * failure. An event that ends a lasting state has the severity of the event that began it.
 *
 * @param severity the importance of the event
 * @param time the time at which the engine saw it
 * @param text one or more sentences
 */
public record BurstEvent(Severity severity, Instant time, String text) {

    /** How much an event matters. */
    public enum Severity {
        /** Good to know. */
        INFO,
        /** Somebody should look. */
        WARN,
        /**
         * Appends wait or fail, or soon will, or records are lost. The engine tells it again every minute while it
         * lasts.
         */
        ERROR
    }
}

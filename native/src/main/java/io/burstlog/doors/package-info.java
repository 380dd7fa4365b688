// SPDX-License-Identifier: Apache-2.0

/**
 * The core of the doors, which all of Burstlog's appenders and handlers for logging frameworks share. It handles open
 * rings, settings by name, units, losses and sentences, and knows no logging framework.
 *
 * <p><b>Internal.</b> The module exports this package to Burstlog's own doors alone; on the class path nothing keeps
 * you from it, and it changes without notice.
 */
package io.burstlog.doors;

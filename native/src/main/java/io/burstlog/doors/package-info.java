// SPDX-License-Identifier: Apache-2.0

/**
 * The core of the doors: what Burstlog's appenders and handlers for logging frameworks share. It knows the rings that
 * they have open, settings by name, units, losses and sentences, and no logging framework.
 *
 * <p><b>Internal.</b> The module exports this package to Burstlog's own doors alone; on the class path nothing keeps
 * you from it, and it changes without notice.
 */
package io.burstlog.doors;

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import org.apache.logging.log4j.core.appender.AppenderLoggingException;

/**
 * Tells the application through a {@code Failover} that its event is logged, and that its copy did not confirm it. A
 * {@code Failover} catches every {@link Exception}: it would log the event once more, in its other appender, and send
 * the events of the next minute there alone.
 */
final class LoggedWithoutCopy extends Error {

    private static final long serialVersionUID = 1L;

    LoggedWithoutCopy(final AppenderLoggingException failure) {
        super(failure.getMessage(), failure, false, false);
    }

    @Override
    public String toString() {
        return getMessage();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.appender.DefaultErrorHandler;

/**
 * Tells whoever logs to an appender that did not start why it did not. Log4j itself throws there too, before it calls the
 * appender, but with no more than "Attempted to append to non-started appender".
 */
final class RefusingErrorHandler extends DefaultErrorHandler {

    private final Appender appender;
    private final String reason;

    RefusingErrorHandler(final Appender appender, final String reason) {
        super(appender);
        this.appender = appender;
        this.reason = reason;
    }

    @Override
    public void error(final String message) {
        super.error(message);
        if (!appender.ignoreExceptions()) {
            throw new AppenderLoggingException(reason);
        }
    }
}

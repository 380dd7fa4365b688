// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import io.burstlog.jul.BurstHandler;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/** A second handler of a configuration, with properties under its own name. */
public final class SecondHandler extends BurstHandler {

    /** For the LogManager. */
    public SecondHandler() {}

    /** The message and nothing else. */
    public static final class MessageLine extends Formatter {

        /** For the LogManager. */
        public MessageLine() {}

        @Override
        public String format(LogRecord record) {
            return record.getMessage() + '\n';
        }
    }
}

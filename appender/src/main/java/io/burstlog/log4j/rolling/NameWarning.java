// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.nio.file.Path;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.status.StatusLogger;

/** Tells once that names are taken: a file with content is never replaced. */
final class NameWarning {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private final String appender;
    private volatile boolean isTold;

    NameWarning(final String appender) {
        this.appender = appender;
    }

    /** The name, or the next free one if it is taken. */
    String free(final String name) {
        if (!FileNames.isTaken(Path.of(name))) {
            return name;
        }
        final String free = FileNames.free(name);
        if (!isTold) {
            isTold = true;
            LOGGER.warn(
                    "Burst '{}': the name {} is taken, so that the file gets the name {}; no file with content is"
                            + " replaced. Give filePattern an index, or a date that differs from roll to roll.",
                    appender,
                    name,
                    free);
        }
        return free;
    }
}

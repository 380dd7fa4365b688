// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;

/**
 * The file manager that Log4j's policies and strategies see. It opens and writes no file, and Log4j does not share it
 * between appenders by name.
 */
abstract class ManagerWithoutFile extends RollingFileManager {

    /** @param initialMillis the time of dates in the pattern, unless a policy sets another; 0: the time of a roll */
    ManagerWithoutFile(final RollingSettings settings, final long initialMillis) {
        super(
                settings.context(),
                settings.fileName(),
                settings.filePattern(),
                null,
                true,
                settings.createOnDemand(),
                0,
                initialMillis,
                settings.policy(),
                settings.strategy(),
                settings.advertiseUri(),
                settings.layout(),
                settings.attributes().permissions(),
                settings.attributes().owner(),
                settings.attributes().group(),
                false,
                ByteBuffer.allocate(1));
    }

    @Override
    public boolean hasOutputStream() {
        return true;
    }

    @Override
    protected OutputStream createOutputStream() throws IOException {
        throw new IOException("Only the ring writes " + getFileName() + ": log through the appender.");
    }

    /** Does nothing: the appender is stopped instead. */
    @Override
    public boolean stop(final long timeout, final TimeUnit unit) {
        return true;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.rolling.AbstractTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;

/** A policy that cannot begin. */
final class FailingPolicy extends AbstractTriggeringPolicy {

    @Override
    public void initialize(final RollingFileManager manager) {
        throw new IllegalStateException("broken");
    }

    @Override
    public boolean isTriggeringEvent(final LogEvent event) {
        return false;
    }
}

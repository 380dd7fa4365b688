// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.util.concurrent.locks.Lock;
import org.apache.logging.log4j.core.appender.rolling.action.AbstractAction;
import org.apache.logging.log4j.core.appender.rolling.action.Action;

/** An action that excludes strategies and compressions: none of them gives a name while it is under way. */
final class GuardedAction extends AbstractAction {

    private final Action action;
    private final Lock names;
    private volatile long beganNanos;
    private volatile boolean isActing;

    GuardedAction(final Action action, final Lock names) {
        this.action = action;
        this.names = names;
    }

    @Override
    public boolean execute() throws IOException {
        names.lock();
        try {
            beganNanos = System.nanoTime();
            isActing = true;
            return action.execute();
        } finally {
            isActing = false;
            names.unlock();
        }
    }

    /** Returns how long it has been under way; 0 if it is not. */
    long nanos() {
        return isActing ? System.nanoTime() - beganNanos : 0;
    }

    @Override
    public String toString() {
        return action.toString();
    }
}

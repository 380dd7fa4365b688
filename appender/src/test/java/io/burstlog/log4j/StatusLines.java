// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.status.StatusData;
import org.apache.logging.log4j.status.StatusListener;
import org.apache.logging.log4j.status.StatusLogger;

/** Hears what Log4j and its plugins tell the operator. */
public final class StatusLines implements StatusListener {

    private final List<StatusData> heard = new CopyOnWriteArrayList<>();

    public StatusLines() {
        StatusLogger.getLogger().registerListener(this);
    }

    public List<String> atLeast(final Level level) {
        return heard.stream()
                .filter(data -> data.getLevel().isMoreSpecificThan(level))
                .map(data -> data.getLevel() + " " + data.getMessage().getFormattedMessage())
                .toList();
    }

    @Override
    public void log(final StatusData data) {
        heard.add(data);
    }

    @Override
    public Level getStatusLevel() {
        return Level.INFO;
    }

    public void stopListening() {
        StatusLogger.getLogger().removeListener(this);
    }

    @Override
    public void close() {
        // Called when the listener is removed; there is nothing to release.
    }
}

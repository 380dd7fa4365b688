// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.status.StatusData;
import org.apache.logging.log4j.status.StatusListener;
import org.apache.logging.log4j.status.StatusLogger;

/** Hears all that Log4j and its plugins tell the operator. */
public final class StatusLines {

    private static final List<StatusLines> LISTENING = new CopyOnWriteArrayList<>();

    static {
        // One listener for all, for ever: a thread that asks Log4j for its status level, while another one registers or
        // removes a listener, may find null in the list.
        StatusLogger.getLogger().registerListener(new ForAll());
    }

    private final List<StatusData> heard = new CopyOnWriteArrayList<>();

    public StatusLines() {
        LISTENING.add(this);
    }

    public List<String> atLeast(final Level level) {
        return heard.stream()
                .filter(data -> data.getLevel().isMoreSpecificThan(level))
                .map(data -> data.getLevel() + " " + data.getMessage().getFormattedMessage())
                .toList();
    }

    public void stopListening() {
        LISTENING.remove(this);
    }

    private static final class ForAll implements StatusListener {

        @Override
        public void log(final StatusData data) {
            LISTENING.forEach(each -> each.heard.add(data));
        }

        @Override
        public Level getStatusLevel() {
            return Level.INFO;
        }

        @Override
        public void close() {
            // Called when the listener is removed; there is nothing to release.
        }
    }
}

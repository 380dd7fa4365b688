// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstException;
import io.burstlog.ShipperProvider;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Pretends that burstlog-kafka is there, while a test wants that, and {@link OfArchive} the same of burstlog-archive.
 * It ships nothing, and remembers what it was asked.
 */
public class FakeShipperProvider implements ShipperProvider {

    private static final List<Started> STARTED = new CopyOnWriteArrayList<>();
    private static volatile Consumer<Request> atStart;

    public static final class OfArchive extends FakeShipperProvider {
        @Override
        String name() {
            return "Archive";
        }
    }

    /** A started shipper. */
    static final class Started implements Shipper {

        private final Request request;
        private volatile boolean isEnded;
        private volatile Duration closedWithin;
        private volatile Runnable atClose = () -> {};

        private Started(final Request request) {
            this.request = request;
        }

        Request request() {
            return request;
        }

        void end() {
            isEnded = true;
        }

        /** The action runs when the shipper is closed. */
        void atClose(final Runnable action) {
            atClose = action;
        }

        /** The limit that close was given; null: not closed. */
        Duration closedWithin() {
            return closedWithin;
        }

        @Override
        public boolean hasEnded() {
            return isEnded;
        }

        @Override
        public void close(final Duration limit) {
            closedWithin = limit;
            atClose.run();
        }
    }

    /** @param action runs at each start */
    static void comeToThis(final Consumer<Request> action) {
        STARTED.clear();
        atStart = action;
    }

    static void go() {
        atStart = null;
    }

    static List<Started> started() {
        return STARTED;
    }

    static Started awaitStarted(final int count) {
        Patience.await().until(() -> STARTED.size() >= count);
        return STARTED.get(count - 1);
    }

    @Override
    public String element() {
        return atStart == null ? "Other" : name();
    }

    String name() {
        return "Kafka";
    }

    @Override
    public void check(final Request request) {
        if (name().equals("Kafka") && request.properties().isEmpty()) {
            throw new BurstException(BurstException.Code.INVALID_ARGUMENT, "bootstrap.servers is missing.");
        }
    }

    @Override
    public Shipper start(final Request request) {
        atStart.accept(request);
        final Started started = new Started(request);
        STARTED.add(started);
        return started;
    }
}

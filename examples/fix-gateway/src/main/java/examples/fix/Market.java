// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/** The market behind the gateway: a tenth of a second after a step of an order it makes the next one. */
final class Market {
    private static final long STEP_NANOS = 100_000_000;
    private static final long LOOKS_EVERY_MS = 5;

    private record Due(long order, long nanos) {}

    private final Queue<Due> due = new ConcurrentLinkedQueue<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final LongConsumer step;
    private volatile boolean isStopped;

    Market(LongConsumer step) {
        this.step = step;
    }

    /** Takes an order whose next step the market makes; leaves any other alone. */
    void add(Order order) {
        Execution last = order.last();
        if (Instrument.of(last.symbol()).goesOnAfter(last.step())) {
            due.add(new Due(last.order(), System.nanoTime() + STEP_NANOS));
        }
    }

    void start() {
        thread.scheduleWithFixedDelay(this::makeDueSteps, 0, LOOKS_EVERY_MS, TimeUnit.MILLISECONDS);
    }

    void stop() {
        isStopped = true;
        thread.shutdown();
    }

    private void makeDueSteps() {
        try {
            for (Due first = due.peek(); isDue(first); first = due.peek()) {
                step.accept(first.order());
                due.remove();
            }
        } catch (RuntimeException refused) {
            if (!isStopped) { // without its log the gateway does nothing more
                refused.printStackTrace();
                Runtime.getRuntime().halt(1);
            }
        }
    }

    private boolean isDue(Due first) {
        return !isStopped && first != null && System.nanoTime() - first.nanos() >= 0;
    }
}

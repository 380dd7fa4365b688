// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import static examples.fix.OrderState.ACCEPTED_FOR_BIDDING;
import static examples.fix.OrderState.CALCULATED;
import static examples.fix.OrderState.CANCELED;
import static examples.fix.OrderState.DONE_FOR_DAY;
import static examples.fix.OrderState.EXPIRED;
import static examples.fix.OrderState.FILLED;
import static examples.fix.OrderState.NEW;
import static examples.fix.OrderState.PARTIALLY_FILLED;
import static examples.fix.OrderState.PENDING_CANCEL;
import static examples.fix.OrderState.PENDING_NEW;
import static examples.fix.OrderState.PENDING_REPLACE;
import static examples.fix.OrderState.REJECTED;
import static examples.fix.OrderState.STOPPED;
import static examples.fix.OrderState.SUSPENDED;

import java.util.Arrays;
import java.util.List;

/**
 * The instruments of this market. As in the test market of an exchange, the symbol says what becomes of an order:
 * together its orders go through all 14 states.
 */
enum Instrument {
    /** Its orders rest in the market. */
    BURST(NEW),
    SPLIT(PENDING_NEW, NEW, PARTIALLY_FILLED, FILLED),
    BID(ACCEPTED_FOR_BIDDING, NEW),
    REFUSE(PENDING_NEW, REJECTED),
    STOP(NEW, STOPPED, FILLED),
    HALT(NEW, SUSPENDED, EXPIRED),
    DAY(NEW, PARTIALLY_FILLED, DONE_FOR_DAY, CALCULATED),
    /** Its orders are cancelled at the request of their sender. */
    CANCEL(NEW, PENDING_CANCEL, CANCELED),
    /** The sender of an order asks for another quantity. */
    REPLACE(NEW, PENDING_REPLACE, NEW, FILLED);

    private final List<OrderState> course;

    Instrument(OrderState... course) {
        this.course = List.of(course);
    }

    static Instrument of(String symbol) {
        return Arrays.stream(values())
                .filter(one -> one.name().equals(symbol))
                .findFirst()
                .orElse(BURST);
    }

    /** The number of executions that an order gets. */
    int steps() {
        return course.size();
    }

    /** The state that step makes; the first step is 1. */
    OrderState state(int step) {
        return course.get(step - 1);
    }

    /** Whether the market itself does what comes after so many steps: not if that is the end, or needs a request. */
    boolean goesOnAfter(int step) {
        return step < steps() && state(step + 1) != PENDING_CANCEL && state(step + 1) != PENDING_REPLACE;
    }
}

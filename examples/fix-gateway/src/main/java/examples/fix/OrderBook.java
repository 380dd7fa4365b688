// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The gateway's orders: how each of them stands, and how each execution left its order. Not thread-safe. */
final class OrderBook {
    /** [n - 1]: an order as execution n left it. */
    private final List<Order> history = new ArrayList<>();

    private final Map<Long, Order> orders = new LinkedHashMap<>();
    private final Map<String, Long> orderOfClOrdId = new HashMap<>();

    /**
     * The order of an execution, as this would leave it.
     *
     * @throws IllegalStateException if it is not the next one, or if its order cannot get it
     */
    Order after(Execution execution) {
        if (execution.number() != history.size() + 1) {
            throw new IllegalStateException(
                    "\"" + execution.text() + "\" cannot follow execution " + history.size() + " of the book");
        }
        return Order.after(orders.get(execution.order()), execution);
    }

    /**
     * Adds the next execution.
     *
     * @throws IllegalStateException as {@link #after} does: the book is as it was
     */
    void apply(Execution execution) {
        Order after = after(execution);
        history.add(after);
        orders.put(execution.order(), after);
        orderOfClOrdId.put(execution.clOrdId(), execution.order());
    }

    /** The number of executions: also the number of the last one. */
    int executions() {
        return history.size();
    }

    Collection<Order> orders() {
        return orders.values();
    }

    Order order(long number) {
        return orders.get(number);
    }

    /** The order that has, or one of whose requests has, this ClOrdID; null if none has. */
    Order byClOrdId(String clOrdId) {
        Long order = orderOfClOrdId.get(clOrdId);
        return order == null ? null : orders.get(order);
    }

    /** An order as this execution left it. */
    Order asLeftBy(long execution) {
        return history.get(Math.toIntExact(execution - 1));
    }

    /** The book of a counterparty that got all reports. */
    List<Reported> reported() {
        return history.stream().map(Reported::of).toList();
    }
}

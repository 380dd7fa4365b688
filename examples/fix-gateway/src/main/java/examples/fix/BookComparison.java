// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares the gateway's book with the counterparty's, order by order.
 *
 * <p>A book is the list of executions, each with its order as it was then: state, ClOrdID, quantity, filled quantity
 * and price. The books are equal if
 *
 * <ol>
 *   <li>the counterparty's executions are 1, 2, .., k: reports come in order, and none is missing;
 *   <li>the gateway's are 1, 2, .., n, with n at least k, and its first k are the counterparty's, each with the same
 *       values. So every order stands in both books alike after execution k.
 * </ol>
 *
 * <p>Executions k + 1 to n are those by which the gateway is ahead: it logged them, and no report of them has arrived.
 */
final class BookComparison {
    private BookComparison() {}

    /** One sentence for each order that differs, and for each execution that is not in its place; empty if none. */
    static List<String> differences(List<Reported> gateway, List<Reported> counterparty) {
        List<String> differences = new ArrayList<>();
        if (counterparty.isEmpty()) {
            differences.add("the counterparty's book has no execution, so there is nothing to compare");
        }
        checkNumbers("gateway", gateway, differences);
        checkNumbers("counterparty", counterparty, differences);
        if (gateway.size() < counterparty.size()) {
            differences.add(
                    "the gateway knows " + gateway.size() + " executions, and its counterparty " + counterparty.size());
        }
        int known = Math.min(gateway.size(), counterparty.size());
        Map<String, List<Reported>> there = byOrder(gateway.subList(0, known));
        Map<String, List<Reported>> here = byOrder(counterparty.subList(0, known));
        there.keySet().stream()
                .filter(order -> !here.containsKey(order))
                .forEach(order -> differences.add(order + " was never reported"));
        here.forEach((order, reports) -> {
            if (!reports.equals(there.get(order))) {
                differences.add(order + " is " + there.get(order) + " in the gateway's book, and " + reports
                        + " in the counterparty's");
            }
        });
        return differences;
    }

    private static void checkNumbers(String whose, List<Reported> book, List<String> differences) {
        for (int i = 0; i < book.size(); i++) {
            if (!book.get(i).execId().equals("E-" + (i + 1))) {
                differences.add("the " + whose + "'s book has " + book.get(i).execId() + " at place " + (i + 1));
                return;
            }
        }
    }

    private static Map<String, List<Reported>> byOrder(List<Reported> book) {
        Map<String, List<Reported>> orders = new HashMap<>();
        book.forEach(one -> orders.computeIfAbsent(one.orderId(), order -> new ArrayList<>())
                .add(one));
        return orders;
    }
}

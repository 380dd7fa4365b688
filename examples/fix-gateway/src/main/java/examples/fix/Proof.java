// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The log's content, as the book proves it.
 *
 * <p>The gateway's own "execution" lines are counted: the first one of an order accepts it, however often FIX delivers
 * that order. FIX messages cannot be counted by ClOrdID, because after a crash both sides rightly repeat some of them
 * (PossDupFlag 43=Y, with another SendingTime). Their text is compared instead:
 *
 * <ol>
 *   <li>Every confirmed ClOrdID has a line that accepts it; no ClOrdID, confirmed or not, has two.
 *   <li>Executions carry the numbers 1, 2, 3, .. without a gap, in that order.
 *   <li>Confirmed orders stand in the log in the order in which they were confirmed.
 *   <li>Nothing was accepted that was not sent.
 *   <li>Before each line that accepts an order stands the NewOrderSingle that brought the order.
 *   <li>The log has every ExecutionReport received, repeated ones included, as often as it was received, character for
 *       character.
 * </ol>
 */
final class Proof {
    private Proof() {}

    /** One sentence for each difference; empty if the log holds what it must. */
    static List<String> differences(BookContent book, GatewayLog log) {
        List<String> differences = new ArrayList<>();
        if (book.confirmed().isEmpty()) {
            differences.add("the book has no confirmed order, so there is nothing to prove");
        }
        Map<String, Integer> lineOf = new HashMap<>();
        long lastNumber = 0;
        for (Execution execution : log.executions()) {
            if (execution.number() != lastNumber + 1) {
                differences.add(
                        "execution " + execution.number() + " stands in the log right after execution " + lastNumber);
            }
            lastNumber = execution.number();
        }
        for (Execution order : log.accepted()) {
            if (lineOf.putIfAbsent(order.clOrdId(), lineOf.size() + 1) != null) {
                differences.add(order.clOrdId() + " is accepted twice in the log");
            }
            if (!book.sent().contains(order.clOrdId())) {
                differences.add(order.clOrdId() + " is in the log but was never sent");
            }
        }
        int previous = 0;
        for (String clOrdId : book.confirmed()) {
            Integer line = lineOf.get(clOrdId);
            if (line == null) {
                differences.add(clOrdId + " was confirmed but is not in the log");
            } else if (line < previous) {
                differences.add(clOrdId + " was confirmed after an order that stands behind it in the log");
            } else {
                previous = line;
            }
        }
        for (Execution order : log.acceptedWithoutMessage()) {
            differences.add(order.clOrdId() + " is accepted in the log without the message that brought it");
        }
        Map<String, Integer> received = new HashMap<>();
        book.confirmations().forEach(text -> received.merge(text, 1, Integer::sum));
        received.forEach((text, times) -> {
            int written = log.confirmations().getOrDefault(text, 0);
            if (written != times) {
                differences.add("received " + times + " times but in the log " + written + " times: " + text);
            }
        });
        return differences;
    }
}

// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The gateway's promise that an order is its own from now on: one line in its log for each order, written before it
 * confirms the order to anyone. {@code number} counts the accepted orders over all runs of the gateway.
 */
record AcceptedOrder(long number, String clOrdId) {
    /**
     * The name of the logger for these lines, and for the start line of {@link AcceptedOrders}; no other line goes
     * there.
     */
    static final String LOGGER = "gateway.orders";

    private static final Pattern LINE = Pattern.compile("\\S+ orders \\[[^]]*] accepted (\\d+) clOrdID=(\\S+) .*");

    String orderId() {
        return "G-" + number;
    }

    /** Reads a line of the log file; empty if it is no accepted order. */
    static Optional<AcceptedOrder> parse(String line) {
        Matcher matcher = LINE.matcher(line);
        return matcher.matches()
                ? Optional.of(new AcceptedOrder(Long.parseLong(matcher.group(1)), matcher.group(2)))
                : Optional.empty();
    }
}

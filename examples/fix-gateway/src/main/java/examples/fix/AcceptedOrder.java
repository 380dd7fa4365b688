// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The gateway's word that an order is its own from now on: one line in its log, written once for each order, before the
 * order is confirmed to anyone. {@code number} counts the accepted orders over all runs of the gateway.
 */
record AcceptedOrder(long number, String clOrdId) {
    /** Name of the logger that carries nothing but these lines and {@link AcceptedOrders}'s start line. */
    static final String LOGGER = "gateway.orders";

    private static final Pattern LINE = Pattern.compile("\\S+ orders \\[[^]]*] accepted (\\d+) clOrdID=(\\S+) .*");

    String orderId() {
        return "G-" + number;
    }

    /** Reads a line of the log file; empty for every line that is not an accepted order. */
    static Optional<AcceptedOrder> parse(String line) {
        Matcher matcher = LINE.matcher(line);
        return matcher.matches()
                ? Optional.of(new AcceptedOrder(Long.parseLong(matcher.group(1)), matcher.group(2)))
                : Optional.empty();
    }
}

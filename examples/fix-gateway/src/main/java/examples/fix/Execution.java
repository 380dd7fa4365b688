// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A new state of an order. It is one line of the gateway's log, which the gateway writes before it reports the state to
 * anyone.
 *
 * @param number 1, 2, 3, .. over all executions of all runs of the gateway
 * @param order the number of the order, which begins with 1
 * @param step 1 for the first execution of the order, by which the gateway accepts it
 * @param clOrdId the ClOrdID under which it is reported: of the order, or of the request to cancel or replace it
 * @param quantity the order's quantity; with PENDING_REPLACE: the one that is asked for
 * @param filled the quantity that is filled by this execution alone
 */
record Execution(
        long number,
        long order,
        int step,
        String clOrdId,
        OrderState state,
        String symbol,
        char side,
        long quantity,
        double price,
        long filled) {

    /**
     * The name of the logger for these lines, and for the line by which each run of the gateway begins; no other line
     * goes there.
     */
    static final String LOGGER = "gateway.orders";

    private static final Pattern LINE = Pattern.compile(
            "\\S+ orders \\[[^]]*] execution (\\d+) order=(\\d+) step=(\\d+) clOrdID=(\\S+) state=(\\w+) symbol=(\\w+)"
                    + " side=(.) quantity=(\\d+) price=(\\S+) filled=(\\d+)\\s*");

    String orderId() {
        return "G-" + order;
    }

    String text() {
        return "execution " + number + " order=" + order + " step=" + step + " clOrdID=" + clOrdId + " state=" + state
                + " symbol=" + symbol + " side=" + side + " quantity=" + quantity + " price=" + price + " filled="
                + filled;
    }

    /** Reads a line of the log; empty if it is no execution. */
    static Optional<Execution> parse(String line) {
        Matcher part = LINE.matcher(line);
        return part.matches()
                ? Optional.of(new Execution(
                        Long.parseLong(part.group(1)),
                        Long.parseLong(part.group(2)),
                        Integer.parseInt(part.group(3)),
                        part.group(4),
                        OrderState.valueOf(part.group(5)),
                        part.group(6),
                        part.group(7).charAt(0),
                        Long.parseLong(part.group(8)),
                        Double.parseDouble(part.group(9)),
                        Long.parseLong(part.group(10))))
                : Optional.empty();
    }
}

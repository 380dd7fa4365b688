// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import quickfix.FieldNotFound;
import quickfix.fix44.NewOrderSingle;

/**
 * The orders that this gateway has accepted, in this run and in earlier ones. The log is their only memory: it tells
 * that FIX delivers an order again after a crash.
 */
final class AcceptedOrders {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptedOrder.LOGGER);
    private static final long READ_BACK_TIMEOUT_MS = 30_000;

    private final Map<String, AcceptedOrder> byClOrdId = new HashMap<>();
    private long lastNumber;

    private AcceptedOrders() {}

    /**
     * Reads the orders of earlier runs from the log file. The file may be behind the log, so this run first logs a line
     * of its own: once the file has that line, it has everything logged before it.
     */
    static AcceptedOrders readBack(Path logFile) throws IOException, InterruptedException {
        String start = "start " + UUID.randomUUID();
        LOG.info("{}", start);
        long deadline = System.nanoTime() + READ_BACK_TIMEOUT_MS * 1_000_000;
        while (System.nanoTime() < deadline) {
            AcceptedOrders orders = new AcceptedOrders();
            if (Files.exists(logFile) && orders.readUntil(start, logFile)) {
                return orders;
            }
            Thread.sleep(20);
        }
        throw new IOException(logFile + ": the line \"" + start + "\" did not arrive within " + READ_BACK_TIMEOUT_MS
                + " ms; is this the file that log4j2.xml writes?");
    }

    private boolean readUntil(String start, Path logFile) throws IOException {
        try (BufferedReader lines = Files.newBufferedReader(logFile)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.endsWith(start)) {
                    return true;
                }
                AcceptedOrder.parse(line).ifPresent(this::remember);
            }
        }
        return false;
    }

    /**
     * Accepts an order: when this returns, the log has the order. An order that was accepted before is returned as it
     * was, and not logged again.
     */
    synchronized AcceptedOrder accept(NewOrderSingle order) throws FieldNotFound {
        String clOrdId = order.getClOrdID().getValue();
        AcceptedOrder known = byClOrdId.get(clOrdId);
        if (known != null) {
            return known;
        }
        AcceptedOrder accepted = new AcceptedOrder(lastNumber + 1, clOrdId);
        LOG.info(
                "accepted {} clOrdID={} symbol={} side={} quantity={} price={}",
                accepted.number(),
                clOrdId,
                order.getSymbol().getValue(),
                order.getSide().getValue(),
                order.getOrderQty().getValue(),
                order.getPrice().getValue());
        remember(accepted);
        return accepted;
    }

    synchronized int size() {
        return byClOrdId.size();
    }

    private void remember(AcceptedOrder order) {
        byClOrdId.put(order.clOrdId(), order);
        lastNumber = Math.max(lastNumber, order.number());
    }
}

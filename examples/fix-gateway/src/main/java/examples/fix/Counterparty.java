// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.nio.file.Path;
import java.time.Duration;
import quickfix.MemoryStoreFactory;
import quickfix.SLF4JLogFactory;
import quickfix.SessionSettings;
import quickfix.SocketInitiator;
import quickfix.fix44.MessageFactory;

/**
 * The other side of the gateway. It sends orders at a steady rate, reconnects when the gateway was gone, and keeps a
 * {@link Book} of the reports. It exits with 0 once every order is confirmed and has come to its end.
 *
 * <pre>java examples.fix.Counterparty PORT BOOK-FILE ORDERS ORDERS-PER-SECOND</pre>
 */
public final class Counterparty {
    private static final Duration LAST_REPORT_TIMEOUT = Duration.ofSeconds(60);

    private Counterparty() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        Path bookFile = Path.of(arguments[1]);
        int orders = Integer.parseInt(arguments[2]);
        int ordersPerSecond = Integer.parseInt(arguments[3]);

        boolean allReported;
        try (Book book = new Book(bookFile)) {
            OrderFlow flow = new OrderFlow(book);
            SessionSettings settings = FixSession.initiator(port);
            SocketInitiator initiator = new SocketInitiator(
                    flow, new MemoryStoreFactory(), settings, new SLF4JLogFactory(settings), new MessageFactory());
            initiator.start();
            flow.send(orders, ordersPerSecond);
            allReported = flow.awaitAllReported(LAST_REPORT_TIMEOUT);
            initiator.stop();
            System.out.println(flow.summary());
        }
        System.exit(allReported ? 0 : 1);
    }
}

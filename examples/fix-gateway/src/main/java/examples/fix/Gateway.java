// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;
import quickfix.FileStoreFactory;
import quickfix.SLF4JLogFactory;
import quickfix.SessionSettings;
import quickfix.SocketAcceptor;
import quickfix.fix44.MessageFactory;

/**
 * A FIX order gateway. It logs every FIX message and every execution through SLF4J, and reports an execution only after
 * its log call has returned. Only log4j2.xml says where that log is kept, and how safely. At the start it rebuilds its
 * orders from that log.
 *
 * <pre>java -Dgateway.ring=FILE -Dgateway.log=FILE [-Dgateway.book=FILE] examples.fix.Gateway PORT STORE-DIRECTORY
 * </pre>
 *
 * {@code gateway.book} is a file for the orders as they were rebuilt.
 */
public final class Gateway {
    private Gateway() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        Path messageStore = Path.of(arguments[1]);
        Path ring = Path.of(System.getProperty("gateway.ring", "gateway.ring"));
        Path log = Path.of(System.getProperty("gateway.log", "gateway.log"));

        // doc: rebuild
        // Opens the log: recovery decides which records of the last run are in it, and nobody else writes from now on.
        String start = "start " + UUID.randomUUID();
        LoggerFactory.getLogger(Execution.LOGGER).info("{}", start);
        StateFromLog state = StateFromLog.read(ring, log, start);
        System.out.println("gateway: " + state.summary());
        // end
        String book = System.getProperty("gateway.book");
        if (book != null) {
            Reported.write(Path.of(book), state.book().reported());
        }
        Orders orders = new Orders(state);
        SessionSettings settings = FixSession.acceptor(port, messageStore);
        SocketAcceptor acceptor = new SocketAcceptor(
                new OrderEntry(orders),
                new FileStoreFactory(settings),
                settings,
                new SLF4JLogFactory(settings),
                new MessageFactory());
        acceptor.start();
        System.out.printf("gateway: open on port %d%n", port);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            orders.stop();
                            acceptor.stop();
                        },
                        "gateway-stop"));
        new CountDownLatch(1).await();
    }
}

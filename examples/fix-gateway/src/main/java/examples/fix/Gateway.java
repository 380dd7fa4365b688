// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import quickfix.FileStoreFactory;
import quickfix.SLF4JLogFactory;
import quickfix.SessionSettings;
import quickfix.SocketAcceptor;
import quickfix.fix44.MessageFactory;

/**
 * A FIX order gateway. It logs every FIX message and every accepted order through SLF4J, and confirms an order only
 * after its log call has returned. Only log4j2.xml says where that log is kept, and how safely.
 *
 * <pre>java -Dgateway.ring=FILE -Dgateway.log=FILE examples.fix.Gateway PORT STORE-DIRECTORY</pre>
 */
public final class Gateway {
    private Gateway() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        Path messageStore = Path.of(arguments[1]);

        AcceptedOrders accepted = AcceptedOrders.readBack(Path.of(System.getProperty("gateway.log", "gateway.log")));
        SessionSettings settings = FixSession.acceptor(port, messageStore);
        SocketAcceptor acceptor = new SocketAcceptor(
                new OrderEntry(accepted),
                new FileStoreFactory(settings),
                settings,
                new SLF4JLogFactory(settings),
                new MessageFactory());
        acceptor.start();
        System.out.printf("gateway: open on port %d, %,d orders known from its log%n", port, accepted.size());
        Runtime.getRuntime().addShutdownHook(new Thread(acceptor::stop, "gateway-stop"));
        new CountDownLatch(1).await();
    }
}

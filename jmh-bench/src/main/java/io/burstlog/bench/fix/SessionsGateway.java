// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.fix;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import quickfix.ApplicationAdapter;
import quickfix.FieldNotFound;
import quickfix.FileStoreFactory;
import quickfix.Message;
import quickfix.SLF4JLogFactory;
import quickfix.Session;
import quickfix.SessionID;
import quickfix.SessionNotFound;
import quickfix.SessionSettings;
import quickfix.ThreadedSocketAcceptor;
import quickfix.field.AvgPx;
import quickfix.field.ClOrdID;
import quickfix.field.CumQty;
import quickfix.field.ExecID;
import quickfix.field.ExecType;
import quickfix.field.LeavesQty;
import quickfix.field.OrdStatus;
import quickfix.field.OrderID;
import quickfix.field.OrderQty;
import quickfix.field.Price;
import quickfix.field.Symbol;
import quickfix.fix44.ExecutionReport;
import quickfix.fix44.MessageFactory;
import quickfix.fix44.NewOrderSingle;

/**
 * A FIX order gateway with many clients, each with a session and a thread of its own. As the demo's it logs every FIX
 * message and every execution through SLF4J, and reports an execution only after its log call has returned. Unlike the
 * demo's it has no book that it would rebuild from its ring, so that it can log through any appender.
 *
 * <pre>java .. SessionsGateway PORT STORE-DIRECTORY SESSIONS</pre>
 */
public final class SessionsGateway extends ApplicationAdapter {

    private static final Logger LOG = LoggerFactory.getLogger("executions");

    private final AtomicLong executions = new AtomicLong();

    private SessionsGateway() {}

    public static void main(String[] arguments) throws Exception {
        SessionSettings settings = settings(arguments[0], arguments[1], Integer.parseInt(arguments[2]));
        ThreadedSocketAcceptor acceptor = new ThreadedSocketAcceptor(
                new SessionsGateway(),
                new FileStoreFactory(settings),
                settings,
                new SLF4JLogFactory(settings),
                new MessageFactory());
        acceptor.start();
        System.out.println("gateway: open on port " + arguments[0]);
        Runtime.getRuntime().addShutdownHook(new Thread(acceptor::stop, "gateway-stop"));
        new CountDownLatch(1).await();
    }

    private static SessionSettings settings(String port, String store, int sessions) {
        SessionSettings settings = new SessionSettings();
        settings.setString("ConnectionType", "acceptor");
        settings.setString("NonStopSession", "Y");
        settings.setString("SocketTcpNoDelay", "Y");
        settings.setString("SocketAcceptAddress", "127.0.0.1");
        settings.setString("SocketAcceptPort", port);
        settings.setString("FileStorePath", store);
        settings.setString("DataDictionary", "FIX44.xml");
        settings.setString("CheckLatency", "N"); // the client makes its orders long before it sends them
        for (int i = 0; i < sessions; i++) {
            SessionID session = new SessionID("FIX.4.4", "GATEWAY", FixClient.nameOf(i));
            settings.setString(session, "BeginString", session.getBeginString());
            settings.setString(session, "SenderCompID", session.getSenderCompID());
            settings.setString(session, "TargetCompID", session.getTargetCompID());
        }
        return settings;
    }

    @Override
    public void fromApp(Message message, SessionID session) throws FieldNotFound {
        if (message instanceof NewOrderSingle order) {
            ExecutionReport report = accepted(order, executions.incrementAndGet());
            LOG.info("{}", report); // an appender that makes events durable has made this one so when it returns
            try {
                Session.sendToTarget(report, session);
            } catch (SessionNotFound impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    private static ExecutionReport accepted(NewOrderSingle order, long number) throws FieldNotFound {
        ExecutionReport report = new ExecutionReport(
                new OrderID("O-" + number),
                new ExecID("E-" + number),
                new ExecType(ExecType.NEW),
                new OrdStatus(OrdStatus.NEW),
                order.getSide(),
                new LeavesQty(order.getOrderQty().getValue()),
                new CumQty(0),
                new AvgPx(0));
        report.set(new ClOrdID(order.getClOrdID().getValue()));
        report.set(new Symbol(order.getSymbol().getValue()));
        report.set(new OrderQty(order.getOrderQty().getValue()));
        report.set(new Price(order.getPrice().getValue()));
        return report;
    }
}

// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import quickfix.ApplicationAdapter;
import quickfix.FieldNotFound;
import quickfix.Message;
import quickfix.Session;
import quickfix.SessionID;
import quickfix.SessionNotFound;
import quickfix.field.ClOrdID;
import quickfix.field.ExecID;
import quickfix.field.MsgType;
import quickfix.field.OrdType;
import quickfix.field.OrderQty;
import quickfix.field.OrigClOrdID;
import quickfix.field.Price;
import quickfix.field.Side;
import quickfix.field.Symbol;
import quickfix.field.TransactTime;
import quickfix.fix44.NewOrderSingle;
import quickfix.fix44.OrderCancelReplaceRequest;
import quickfix.fix44.OrderCancelRequest;

/**
 * Orders under way. They are sent at a steady rate while the gateway is there and keeps up, and confirmed when their
 * ExecutionReport arrives. When the gateway is back after a crash, FIX delivers by its resend requests what was under
 * way.
 */
final class OrderFlow extends ApplicationAdapter {
    /** A slow disk slows the flow down, instead of letting orders queue up in the gateway. */
    private static final int MOST_UNCONFIRMED = 50;

    /** One order in so many is of an instrument whose orders go on, each of these in turn. */
    private static final int ONE_IN = 8;

    private static final long WARM_UP_NANOS = 3_000_000_000L;

    private final Book book;
    private final RoundTrips roundTrips = new RoundTrips();
    private final Map<String, Long> sentAtNanos = new HashMap<>();
    private final Set<String> confirmed = new HashSet<>();
    private final Set<String> reports = new HashSet<>();
    private int expectedReports;
    private int repeated;
    private SessionID session;
    private long loggedOnNanos;
    private long loggedOutNanos;
    private long firstSendNanos;
    private long lastConfirmNanos;
    private long outageNanos;
    private boolean finished;

    OrderFlow(Book book) {
        this.book = book;
    }

    @Override
    public synchronized void onLogon(SessionID sessionId) {
        loggedOnNanos = System.nanoTime();
        if (loggedOutNanos != 0) {
            outageNanos += loggedOnNanos - loggedOutNanos;
            System.out.printf(
                    "counterparty: gateway is back after %.1f s, %d orders unconfirmed%n",
                    (loggedOnNanos - loggedOutNanos) / 1e9, sentAtNanos.size());
        }
        session = sessionId;
        notifyAll();
    }

    @Override
    public synchronized void onLogout(SessionID sessionId) {
        session = null;
        loggedOutNanos = System.nanoTime();
        if (!finished) {
            System.out.printf("counterparty: gateway is gone, %d orders unconfirmed%n", sentAtNanos.size());
        }
    }

    /** Blocks until the last order is sent. */
    void send(int orders, int ordersPerSecond) throws InterruptedException, SessionNotFound {
        long intervalNanos = 1_000_000_000L / ordersPerSecond;
        long dueNanos = System.nanoTime();
        for (int i = 1; i <= orders; i++) {
            while (System.nanoTime() < dueNanos) {
                LockSupport.parkNanos(dueNanos - System.nanoTime());
            }
            SessionID connected = awaitGateway();
            // After an outage the rate stays the same: orders that were due meanwhile are not sent in a burst.
            dueNanos = Math.max(dueNanos, System.nanoTime() - intervalNanos) + intervalNanos;
            String clOrdId = String.format("ORD-%06d", i);
            Instrument instrument = instrument(i);
            book.enter(Book.SENT, clOrdId, "");
            remember(clOrdId, instrument);
            Session.sendToTarget(order(clOrdId, i, instrument), connected);
        }
    }

    private synchronized SessionID awaitGateway() throws InterruptedException {
        while (session == null || sentAtNanos.size() >= MOST_UNCONFIRMED) {
            wait();
        }
        return session;
    }

    private static Instrument instrument(int order) {
        Instrument[] all = Instrument.values();
        return order % ONE_IN == 0 ? all[1 + order / ONE_IN % (all.length - 1)] : Instrument.BURST;
    }

    private synchronized void remember(String clOrdId, Instrument instrument) {
        long now = System.nanoTime();
        if (firstSendNanos == 0) {
            firstSendNanos = now;
        }
        sentAtNanos.put(clOrdId, now);
        expectedReports += instrument.steps();
    }

    private static NewOrderSingle order(String clOrdId, int number, Instrument instrument) {
        NewOrderSingle order = new NewOrderSingle(
                new ClOrdID(clOrdId),
                new Side(number % 2 == 0 ? Side.BUY : Side.SELL),
                new TransactTime(LocalDateTime.now(ZoneOffset.UTC)),
                new OrdType(OrdType.LIMIT));
        order.set(new Symbol(instrument.name()));
        order.set(new OrderQty(100 + number % 900));
        order.set(new Price(10 + number % 100 / 100.0));
        return order;
    }

    @Override
    public synchronized void fromApp(Message message, SessionID sessionId) throws FieldNotFound {
        if (!MsgType.EXECUTION_REPORT.equals(message.getHeader().getString(MsgType.FIELD))) {
            return;
        }
        long now = System.nanoTime();
        // Under the ClOrdID of a request that of its order is the original one.
        String clOrdId = message.getString(message.isSetField(OrigClOrdID.FIELD) ? OrigClOrdID.FIELD : ClOrdID.FIELD);
        if (!reports.add(message.getString(ExecID.FIELD))) {
            repeated++;
            book.enter(Book.REPEATED, clOrdId, message.toRawString());
            return;
        }
        notifyAll();
        if (!confirmed.add(clOrdId)) {
            book.enter(Book.REPORTED, clOrdId, message.toRawString());
            return;
        }
        book.enter(Book.CONFIRMED, clOrdId, message.toRawString());
        lastConfirmNanos = now;
        Long sent = sentAtNanos.remove(clOrdId);
        // An order from before an outage would measure how long the gateway was away; one from a connection's first
        // seconds, how fast a JVM warms up.
        if (sent != null && sent - loggedOnNanos > WARM_UP_NANOS) {
            roundTrips.add(now - sent);
        }
        request(clOrdId, message, sessionId);
    }

    /** Asks for what the instrument of a new order needs: FIX brings the request there, also after a crash. */
    private static void request(String clOrdId, Message report, SessionID session) throws FieldNotFound {
        Instrument instrument = Instrument.of(report.getString(Symbol.FIELD));
        OrigClOrdID order = new OrigClOrdID(clOrdId);
        Side side = new Side(report.getChar(Side.FIELD));
        TransactTime now = new TransactTime(LocalDateTime.now(ZoneOffset.UTC));
        double quantity = report.getDouble(OrderQty.FIELD);
        try {
            if (instrument == Instrument.CANCEL) {
                OrderCancelRequest cancel = new OrderCancelRequest(order, new ClOrdID("CXL-" + clOrdId), side, now);
                cancel.set(new Symbol(instrument.name()));
                cancel.set(new OrderQty(quantity));
                Session.sendToTarget(cancel, session);
            } else if (instrument == Instrument.REPLACE) {
                OrderCancelReplaceRequest replace = new OrderCancelReplaceRequest(
                        order, new ClOrdID("RPL-" + clOrdId), side, now, new OrdType(OrdType.LIMIT));
                replace.set(new Symbol(instrument.name()));
                replace.set(new OrderQty(quantity + 50));
                replace.set(new Price(report.getDouble(Price.FIELD)));
                Session.sendToTarget(replace, session);
            }
        } catch (SessionNotFound impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Waits until every order is confirmed, and has come to its end. */
    synchronized boolean awaitAllReported(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (reports.size() < expectedReports && System.nanoTime() < deadline) {
            wait(100);
        }
        finished = true;
        return reports.size() == expectedReports;
    }

    synchronized String summary() {
        double seconds = (lastConfirmNanos - firstSendNanos - outageNanos) / 1e9;
        return String.format(
                "counterparty: %,d orders confirmed, %d unconfirmed, %,d reports, %d of them twice%n"
                        + "counterparty: %,.0f orders/s while the gateway was there; order to confirmation, once the gateway is warm: %s",
                confirmed.size(), sentAtNanos.size(), reports.size(), repeated, confirmed.size() / seconds, roundTrips);
    }
}

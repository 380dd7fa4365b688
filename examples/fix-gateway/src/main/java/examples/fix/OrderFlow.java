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
import quickfix.field.MsgType;
import quickfix.field.OrdType;
import quickfix.field.OrderQty;
import quickfix.field.Price;
import quickfix.field.Side;
import quickfix.field.Symbol;
import quickfix.field.TransactTime;
import quickfix.fix44.NewOrderSingle;

/**
 * Orders under way. They are sent at a steady rate while the gateway is there and keeps up, and confirmed when their
 * ExecutionReport arrives. When the gateway is back after a crash, FIX delivers by its resend requests what was under
 * way.
 */
final class OrderFlow extends ApplicationAdapter {
    /** A slow disk slows the flow down, instead of letting orders queue up in the gateway. */
    private static final int MOST_UNCONFIRMED = 50;

    private static final long WARM_UP_NANOS = 3_000_000_000L;

    private final Book book;
    private final RoundTrips roundTrips = new RoundTrips();
    private final Map<String, Long> sentAtNanos = new HashMap<>();
    private final Set<String> confirmed = new HashSet<>();
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
            book.enter(Book.SENT, clOrdId, "");
            remember(clOrdId);
            Session.sendToTarget(order(clOrdId, i), connected);
        }
    }

    private synchronized SessionID awaitGateway() throws InterruptedException {
        while (session == null || sentAtNanos.size() >= MOST_UNCONFIRMED) {
            wait();
        }
        return session;
    }

    private synchronized void remember(String clOrdId) {
        long now = System.nanoTime();
        if (firstSendNanos == 0) {
            firstSendNanos = now;
        }
        sentAtNanos.put(clOrdId, now);
    }

    private static NewOrderSingle order(String clOrdId, int number) {
        NewOrderSingle order = new NewOrderSingle(
                new ClOrdID(clOrdId),
                new Side(number % 2 == 0 ? Side.BUY : Side.SELL),
                new TransactTime(LocalDateTime.now(ZoneOffset.UTC)),
                new OrdType(OrdType.LIMIT));
        order.set(new Symbol("BURST"));
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
        String clOrdId = message.getString(ClOrdID.FIELD);
        if (!confirmed.add(clOrdId)) {
            repeated++;
            book.enter(Book.REPEATED, clOrdId, message.toRawString());
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
        notifyAll();
    }

    synchronized boolean awaitAllConfirmed(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!sentAtNanos.isEmpty() && System.nanoTime() < deadline) {
            wait(100);
        }
        finished = true;
        return sentAtNanos.isEmpty();
    }

    synchronized String summary() {
        double seconds = (lastConfirmNanos - firstSendNanos - outageNanos) / 1e9;
        return String.format(
                "counterparty: %,d orders confirmed, %d unconfirmed, %d confirmed a second time%n"
                        + "counterparty: %,.0f orders/s while the gateway was there; order to confirmation, once the gateway is warm: %s",
                confirmed.size(), sentAtNanos.size(), repeated, confirmed.size() / seconds, roundTrips);
    }
}

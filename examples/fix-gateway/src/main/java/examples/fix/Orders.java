// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import quickfix.FieldNotFound;
import quickfix.IncorrectTagValue;
import quickfix.Session;
import quickfix.SessionNotFound;
import quickfix.field.OrigClOrdID;
import quickfix.field.PossResend;
import quickfix.fix44.ExecutionReport;
import quickfix.fix44.NewOrderSingle;

/**
 * The orders of this gateway. Each execution is logged, then it is in the book, then it is reported. One lock for all
 * three: reports leave in the order of executions, so the counterparty has all up to one of them.
 */
final class Orders {
    private static final Logger LOG = LoggerFactory.getLogger(Execution.LOGGER);

    private final OrderBook book;
    private final long confirmed;
    private final Market market = new Market(this::step);
    private final AtomicBoolean goesOn = new AtomicBoolean();

    Orders(StateFromLog state) {
        this.book = state.book();
        this.confirmed = state.confirmed();
        book.orders().forEach(market::add);
    }

    /** Goes on where the run before this one ended, once a counterparty is there. */
    void goOn() {
        if (!goesOn.compareAndSet(false, true)) {
            return;
        }
        synchronized (this) {
            for (long execution = confirmed + 1; execution <= book.executions(); execution++) {
                ExecutionReport report = Reports.of(book.asLeftBy(execution));
                report.getHeader().setBoolean(PossResend.FIELD, true);
                send(report);
            }
        }
        market.start();
    }

    void stop() {
        market.stop();
    }

    /** Accepts an order. One that FIX delivers again after a crash is known already: nothing is done. */
    synchronized void accept(NewOrderSingle order) throws FieldNotFound {
        String clOrdId = order.getClOrdID().getValue();
        String symbol = order.getSymbol().getValue();
        if (book.byClOrdId(clOrdId) == null) {
            execute(new Execution(
                    book.executions() + 1L,
                    book.orders().size() + 1L,
                    1,
                    clOrdId,
                    Instrument.of(symbol).state(1),
                    symbol,
                    order.getSide().getValue(),
                    (long) order.getOrderQty().getValue(),
                    order.getPrice().getValue(),
                    0));
        }
    }

    /** Takes a request to cancel an order, or to give it another quantity. One that is known changes nothing. */
    synchronized void request(String clOrdId, String origClOrdId, OrderState pending, long quantity)
            throws IncorrectTagValue {
        Order order = book.byClOrdId(origClOrdId);
        if (book.byClOrdId(clOrdId) == null) {
            if (order == null || !order.state().next().contains(pending)) {
                throw new IncorrectTagValue(OrigClOrdID.FIELD);
            }
            execute(order.next(book.executions() + 1L, pending, clOrdId, quantity));
        }
    }

    private synchronized void step(long number) {
        Order order = book.order(number);
        OrderState state =
                Instrument.of(order.last().symbol()).state(order.last().step() + 1);
        execute(order.next(
                book.executions() + 1L,
                state,
                order.last().clOrdId(),
                order.last().quantity()));
    }

    // doc: log-then-report
    private void execute(Execution execution) {
        Order order = book.after(execution); // throws if it cannot be: nothing is logged
        LOG.info("{}", execution.text()); // durable when it returns; throws if the log refuses it: nothing is reported
        book.apply(execution);
        send(Reports.of(order));
        market.add(order);
    }
    // end

    private static void send(ExecutionReport report) {
        try {
            Session.sendToTarget(report, FixSession.OF_GATEWAY);
        } catch (SessionNotFound impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}

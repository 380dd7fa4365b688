// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import quickfix.ApplicationAdapter;
import quickfix.FieldNotFound;
import quickfix.IncorrectTagValue;
import quickfix.Message;
import quickfix.MessageCracker;
import quickfix.Session;
import quickfix.SessionID;
import quickfix.SessionNotFound;
import quickfix.UnsupportedMessageType;
import quickfix.field.AvgPx;
import quickfix.field.CumQty;
import quickfix.field.ExecID;
import quickfix.field.ExecType;
import quickfix.field.LeavesQty;
import quickfix.field.OrdStatus;
import quickfix.field.OrderID;
import quickfix.fix44.ExecutionReport;
import quickfix.fix44.NewOrderSingle;

/** Takes orders: accepts each once, then confirms it. It confirms again an order that FIX delivers again. */
final class OrderEntry extends ApplicationAdapter {
    private final AcceptedOrders accepted;
    private final MessageCracker cracker = new MessageCracker(this);

    OrderEntry(AcceptedOrders accepted) {
        this.accepted = accepted;
    }

    @Override
    public void fromApp(Message message, SessionID session)
            throws FieldNotFound, IncorrectTagValue, UnsupportedMessageType {
        cracker.crack(message, session);
    }

    @MessageCracker.Handler
    public void onOrder(NewOrderSingle order, SessionID session) throws FieldNotFound, SessionNotFound {
        // If the log refuses the line, this throws, and the order is not confirmed.
        AcceptedOrder acceptedOrder = accepted.accept(order);
        Session.sendToTarget(confirmation(order, acceptedOrder), session);
    }

    private static ExecutionReport confirmation(NewOrderSingle order, AcceptedOrder accepted) throws FieldNotFound {
        ExecutionReport report = new ExecutionReport(
                new OrderID(accepted.orderId()),
                new ExecID("E-" + accepted.number()),
                new ExecType(ExecType.NEW),
                new OrdStatus(OrdStatus.NEW),
                order.getSide(),
                new LeavesQty(order.getOrderQty().getValue()),
                new CumQty(0),
                new AvgPx(0));
        report.set(order.getClOrdID());
        report.set(order.getSymbol());
        return report;
    }
}

// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import quickfix.ApplicationAdapter;
import quickfix.FieldNotFound;
import quickfix.IncorrectTagValue;
import quickfix.Message;
import quickfix.MessageCracker;
import quickfix.SessionID;
import quickfix.UnsupportedMessageType;
import quickfix.fix44.NewOrderSingle;
import quickfix.fix44.OrderCancelReplaceRequest;
import quickfix.fix44.OrderCancelRequest;

/** Takes orders and requests from FIX. */
final class OrderEntry extends ApplicationAdapter {
    private final Orders orders;
    private final MessageCracker cracker = new MessageCracker(this);

    OrderEntry(Orders orders) {
        this.orders = orders;
    }

    @Override
    public void onLogon(SessionID session) {
        orders.goOn();
    }

    @Override
    public void fromApp(Message message, SessionID session)
            throws FieldNotFound, IncorrectTagValue, UnsupportedMessageType {
        cracker.crack(message, session);
    }

    @MessageCracker.Handler
    public void onOrder(NewOrderSingle order, SessionID session) throws FieldNotFound {
        orders.accept(order);
    }

    @MessageCracker.Handler
    public void onCancel(OrderCancelRequest request, SessionID session) throws FieldNotFound, IncorrectTagValue {
        orders.request(
                request.getClOrdID().getValue(), request.getOrigClOrdID().getValue(), OrderState.PENDING_CANCEL, (long)
                        request.getOrderQty().getValue());
    }

    @MessageCracker.Handler
    public void onReplace(OrderCancelReplaceRequest request, SessionID session)
            throws FieldNotFound, IncorrectTagValue {
        orders.request(
                request.getClOrdID().getValue(), request.getOrigClOrdID().getValue(), OrderState.PENDING_REPLACE, (long)
                        request.getOrderQty().getValue());
    }
}

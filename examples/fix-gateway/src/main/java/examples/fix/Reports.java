// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import quickfix.field.AvgPx;
import quickfix.field.ClOrdID;
import quickfix.field.CumQty;
import quickfix.field.ExecID;
import quickfix.field.ExecType;
import quickfix.field.LastPx;
import quickfix.field.LastQty;
import quickfix.field.LeavesQty;
import quickfix.field.OrdStatus;
import quickfix.field.OrderID;
import quickfix.field.OrderQty;
import quickfix.field.OrigClOrdID;
import quickfix.field.Price;
import quickfix.field.Side;
import quickfix.field.Symbol;
import quickfix.fix44.ExecutionReport;

/** The reports to the counterparty. */
final class Reports {
    private Reports() {}

    /** The report of the last execution of an order. */
    static ExecutionReport of(Order order) {
        Execution last = order.last();
        ExecutionReport report = new ExecutionReport(
                new OrderID(last.orderId()),
                new ExecID("E-" + last.number()),
                new ExecType(execType(order)),
                new OrdStatus(order.state().ordStatus()),
                new Side(last.side()),
                new LeavesQty(order.leaves()),
                new CumQty(order.filled()),
                new AvgPx(order.filled() > 0 ? last.price() : 0));
        report.set(new ClOrdID(last.clOrdId()));
        if (!last.clOrdId().equals(order.clOrdId())) {
            report.set(new OrigClOrdID(order.clOrdId()));
        }
        report.set(new Symbol(last.symbol()));
        report.set(new OrderQty(order.quantity()));
        report.set(new Price(last.price()));
        if (last.filled() > 0) {
            report.set(new LastQty(last.filled()));
            report.set(new LastPx(last.price()));
        }
        return report;
    }

    /** The values of ExecType are those of OrdStatus, but for fills and for a replacement that has been made. */
    private static char execType(Order order) {
        if (order.last().filled() > 0) {
            return ExecType.TRADE;
        }
        return order.before() == OrderState.PENDING_REPLACE
                ? ExecType.REPLACED
                : order.state().ordStatus();
    }
}

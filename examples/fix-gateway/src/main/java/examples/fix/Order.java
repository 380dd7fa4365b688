// SPDX-License-Identifier: Apache-2.0
package examples.fix;

/**
 * An order, as its last execution left it.
 *
 * @param clOrdId the ClOrdID by which it came
 * @param before the state before the last execution; null if that was the first
 * @param filled the quantity that all executions together have filled
 */
record Order(Execution last, String clOrdId, OrderState before, long quantity, long filled) {

    /**
     * The order after one more execution.
     *
     * @param order null before the first execution
     * @throws IllegalStateException if an order as this one cannot get that execution
     */
    static Order after(Order order, Execution execution) {
        boolean fits = order == null
                ? execution.step() == 1 && OrderState.FIRST.contains(execution.state())
                : execution.step() == order.last.step() + 1
                        && order.state().next().contains(execution.state());
        if (!fits) {
            throw new IllegalStateException("\"" + execution.text() + "\" cannot follow "
                    + (order == null ? "nothing" : "\"" + order.last.text() + '"'));
        }
        if (order == null) {
            return new Order(execution, execution.clOrdId(), null, execution.quantity(), execution.filled());
        }
        boolean keepsQuantity = execution.state() == OrderState.PENDING_REPLACE;
        return new Order(
                execution,
                order.clOrdId,
                order.state(),
                keepsQuantity ? order.quantity : execution.quantity(),
                order.filled + execution.filled());
    }

    OrderState state() {
        return last.state();
    }

    /** The quantity that is still to be filled. */
    long leaves() {
        return state().isClosed() ? 0 : quantity - filled;
    }

    /** The next execution of this order, of this number: the one that its instrument says, or a request. */
    Execution next(long number, OrderState state, String clOrdId, long quantity) {
        long fills = switch (state) {
            case PARTIALLY_FILLED -> (quantity - filled) / 2;
            case FILLED -> quantity - filled;
            default -> 0;
        };
        return new Execution(
                number,
                last.order(),
                last.step() + 1,
                clOrdId,
                state,
                last.symbol(),
                last.side(),
                quantity,
                last.price(),
                fills);
    }
}

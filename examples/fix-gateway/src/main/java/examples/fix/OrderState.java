// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.util.EnumSet;
import java.util.Set;

/**
 * The 14 states of an order in FIX 4.4: the values of the field OrdStatus (39), except 5 (Replaced), which that version
 * does not use any more.
 */
enum OrderState {
    NEW('0'),
    PARTIALLY_FILLED('1'),
    FILLED('2'),
    DONE_FOR_DAY('3'),
    CANCELED('4'),
    PENDING_CANCEL('6'),
    STOPPED('7'),
    REJECTED('8'),
    SUSPENDED('9'),
    PENDING_NEW('A'),
    CALCULATED('B'),
    EXPIRED('C'),
    ACCEPTED_FOR_BIDDING('D'),
    PENDING_REPLACE('E');

    /** The states in which an order can begin. */
    static final Set<OrderState> FIRST = EnumSet.of(PENDING_NEW, ACCEPTED_FOR_BIDDING, NEW, REJECTED);

    private final char ordStatus;

    OrderState(char ordStatus) {
        this.ordStatus = ordStatus;
    }

    char ordStatus() {
        return ordStatus;
    }

    /** The states that an order of this state can get next. */
    Set<OrderState> next() {
        return switch (this) {
            case PENDING_NEW, ACCEPTED_FOR_BIDDING -> EnumSet.of(NEW, REJECTED);
            case NEW, PARTIALLY_FILLED, STOPPED ->
                EnumSet.of(
                        PARTIALLY_FILLED,
                        FILLED,
                        DONE_FOR_DAY,
                        PENDING_CANCEL,
                        PENDING_REPLACE,
                        STOPPED,
                        SUSPENDED,
                        EXPIRED);
            case PENDING_CANCEL -> EnumSet.of(CANCELED);
            case PENDING_REPLACE -> EnumSet.of(NEW, PARTIALLY_FILLED);
            case SUSPENDED -> EnumSet.of(NEW, PARTIALLY_FILLED, EXPIRED);
            case FILLED, DONE_FOR_DAY -> EnumSet.of(CALCULATED);
            case CANCELED, REJECTED, EXPIRED, CALCULATED -> EnumSet.noneOf(OrderState.class);
        };
    }

    /** Whether nothing of the order is left to be filled today. */
    boolean isClosed() {
        return switch (this) {
            case FILLED, DONE_FOR_DAY, CANCELED, REJECTED, CALCULATED, EXPIRED -> true;
            default -> false;
        };
    }
}

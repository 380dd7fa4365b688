// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.EnumSet;
import java.util.Set;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.DefaultConfiguration;
import org.apache.logging.log4j.core.config.Property;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import quickfix.IncorrectTagValue;
import quickfix.field.ClOrdID;
import quickfix.field.OrdType;
import quickfix.field.OrderQty;
import quickfix.field.Price;
import quickfix.field.Side;
import quickfix.field.Symbol;
import quickfix.field.TransactTime;
import quickfix.fix44.NewOrderSingle;

/** There is no FIX session here: whatever is reported fails, so that it is seen. */
class OrdersTest {
    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** A log that refuses everything. */
    private static final class Refuses extends AbstractAppender {
        Refuses() {
            super("Refuses", null, null, false, Property.EMPTY_ARRAY);
        }

        @Override
        public void append(LogEvent event) {
            throw new Refused();
        }
    }

    private StateFromLog state;

    @BeforeEach
    void startWithAnEmptyLogThatThenRefuses(@TempDir Path directory) throws Exception {
        Path ring = directory.resolve("gateway.ring");
        Path file = directory.resolve("gateway.log");
        try (BurstLog log = BurstLog.open(BurstConfig.builder()
                .ring(ring.toString())
                .durability(Durability.PROCESS)
                .fileName(file.toString())
                .build())) {
            log.append("start\n".getBytes(StandardCharsets.UTF_8));
            state = StateFromLog.read(ring, file, "start");
        }
        DefaultConfiguration configuration = new DefaultConfiguration();
        Refuses refuses = new Refuses();
        refuses.start();
        configuration.getRootLogger().removeAppender("Console");
        configuration.getRootLogger().addAppender(refuses, null, null);
        configuration.getRootLogger().setLevel(org.apache.logging.log4j.Level.INFO);
        Configurator.reconfigure(configuration);
    }

    @Test
    void whatTheLogRefusesIsNeitherInTheBookNorReported() {
        Orders orders = new Orders(state);
        assertThatThrownBy(() -> orders.accept(order())).hasRootCauseInstanceOf(Refused.class);
        assertThat(state.book().executions()).isZero();
        orders.stop();
    }

    @Test
    void aRequestThatCannotBeIsNotLogged() {
        state.book().apply(new Execution(1, 1, 1, "ORD-1", OrderState.REJECTED, "CANCEL", '1', 100, 10.5, 0));
        Orders orders = new Orders(state);
        assertThatThrownBy(() -> orders.request("CXL-1", "ORD-1", OrderState.PENDING_CANCEL, 100))
                .isInstanceOf(IncorrectTagValue.class);
        assertThatThrownBy(() -> orders.request("CXL-2", "ORD-2", OrderState.PENDING_CANCEL, 100))
                .isInstanceOf(IncorrectTagValue.class);
        orders.stop();
    }

    @Test
    void theInstrumentsLeadThroughAllStates() {
        Set<OrderState> seen = EnumSet.noneOf(OrderState.class);
        for (Instrument instrument : Instrument.values()) {
            Order order = null;
            for (int step = 1; step <= instrument.steps(); step++) {
                OrderState next = instrument.state(step);
                order = Order.after(
                        order,
                        order == null
                                ? new Execution(1, 1, 1, "ORD-1", next, instrument.name(), '1', 100, 10.5, 0)
                                : order.next(step, next, "ORD-1", 100));
                seen.add(order.state());
            }
        }
        assertThat(seen).containsExactlyInAnyOrder(OrderState.values()).hasSize(14);
    }

    private static NewOrderSingle order() {
        NewOrderSingle order = new NewOrderSingle(
                new ClOrdID("ORD-1"),
                new Side(Side.BUY),
                new TransactTime(LocalDateTime.of(2026, 1, 2, 3, 4)),
                new OrdType(OrdType.LIMIT));
        order.set(new Symbol("BURST"));
        order.set(new OrderQty(100));
        order.set(new Price(10));
        return order;
    }
}

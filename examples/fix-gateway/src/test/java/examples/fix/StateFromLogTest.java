// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import static examples.fix.OrderState.FILLED;
import static examples.fix.OrderState.NEW;
import static examples.fix.OrderState.PARTIALLY_FILLED;
import static examples.fix.OrderState.PENDING_REPLACE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.Drain;
import io.burstlog.Durability;
import io.burstlog.Rolling;
import io.burstlog.StreamConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log is written by Burstlog itself: its beginning is in archives and a log file, its end in the ring alone. */
class StateFromLogTest {
    private static final String START = "start of this run";
    private static final int ORDERS = 200;

    @TempDir
    private Path directory;

    private Path ring;
    private Path log;
    private int executions;
    private final List<Reported> expected = new ArrayList<>();

    @BeforeEach
    void nameFiles() {
        ring = directory.resolve("gateway.ring");
        log = directory.resolve("gateway.log");
    }

    private BurstLog open() {
        return open(Drain.INNER);
    }

    private BurstLog open(Drain drain) {
        Rolling rolling = Rolling.to(directory.resolve("gateway-%i.log").toString())
                .size(20_000)
                .compress(true);
        return BurstLog.open(BurstConfig.builder()
                .ring(ring.toString())
                .durability(Durability.PROCESS)
                .drainInterval(Duration.ofMillis(10))
                .drain(drain)
                .window(directory.toString())
                .main(StreamConfig.builder()
                        .fileName(log.toString())
                        .rolling(rolling)
                        .build())
                .build());
    }

    private static void append(BurstLog log, String logger, String text) {
        log.enqueue(("2026-01-02T03:04:05,678 " + logger + " [main] " + text + "\n").getBytes(UTF_8));
    }

    private static String execution(int number, int order, int step, OrderState state, long quantity, long filled) {
        return new Execution(number, order, step, "ORD-" + order, state, "SPLIT", '1', quantity, 10.5, filled).text();
    }

    /** Notes from the values alone, too, what the counterparty must know. */
    private void log(BurstLog log, int order, int step, OrderState state, long asked, long fills, Reported known) {
        executions++;
        append(log, "orders", execution(executions, order, step, state, asked, fills));
        append(
                log,
                "outgoing",
                "FIX.4.4:GATEWAY->CLIENT: 8=FIX.4.4|35=8|34=1|17=E-" + executions + "|37=G-" + order + "|10=000|");
        expected.add(known);
    }

    private Reported known(int order, char ordStatus, long quantity, long filled) {
        return new Reported(
                "E-" + (executions + 1), "G-" + order, "ORD-" + order, "" + ordStatus, quantity, filled, 10.5);
    }

    private void logOrder(BurstLog log, int order) {
        log(log, order, 1, NEW, 100, 0, known(order, '0', 100, 0));
        log(log, order, 2, PARTIALLY_FILLED, 100, 40, known(order, '1', 100, 40));
        log(log, order, 3, PENDING_REPLACE, 150, 0, known(order, 'E', 100, 40));
        log(log, order, 4, PARTIALLY_FILLED, 150, 0, known(order, '1', 150, 40));
        log(log, order, 5, FILLED, 150, 110, known(order, '2', 150, 150));
    }

    @Test
    void archivesFileAndRingAreOneView() throws IOException {
        try (BurstLog first = open()) {
            for (int order = 1; order <= ORDERS; order++) {
                logOrder(first, order);
            }
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.filter(file -> file.getFileName().toString().startsWith("gateway-")))
                    .as("archives")
                    .hasSizeGreaterThan(2);
        }
        // No drain is there, so the records stay in the ring.
        try (BurstLog second = open(Drain.EXTERNAL)) {
            logOrder(second, ORDERS + 1);
            append(second, "orders", execution(executions + 1, ORDERS + 2, 1, NEW, 7, 0));
            append(second, "orders", START);
            second.flush();

            StateFromLog state = StateFromLog.read(ring, log, START);
            assertThat(Files.readString(log)).as("log file").doesNotContain("order=" + (ORDERS + 1));
            assertThat(state.confirmed()).isEqualTo(executions);
            assertThat(state.book().executions()).isEqualTo(executions + 1);
            assertThat(state.book().reported().subList(0, executions)).isEqualTo(expected);
            assertThat(state.book().byClOrdId("ORD-" + (ORDERS + 2)).quantity()).isEqualTo(7);
            assertThat(state.summary()).contains("202 orders, 1,006 executions, 1 not yet reported");
        }
        assertThat(StateFromLog.readAll(ring).book().executions()).isEqualTo(executions + 1);
    }

    @Test
    void anExecutionThatStandsTwiceInTheLogIsRefused() {
        try (BurstLog first = open()) {
            append(first, "orders", execution(1, 1, 1, NEW, 100, 0));
            append(first, "orders", execution(2, 1, 2, PARTIALLY_FILLED, 100, 40));
            append(first, "orders", execution(2, 1, 2, PARTIALLY_FILLED, 100, 40));
            append(first, "orders", START);
            first.flush();
            assertThatThrownBy(() -> StateFromLog.read(ring, log, START))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("execution 2 order=1")
                    .hasMessageContaining("cannot follow execution 2 of the book");
        }
    }

    @Test
    void anExecutionThatIsMissingInTheLogIsNoticed() {
        try (BurstLog first = open()) {
            append(first, "orders", execution(1, 1, 1, NEW, 100, 0));
            append(first, "orders", execution(3, 2, 1, NEW, 100, 0));
            append(first, "orders", START);
            first.flush();
            assertThatThrownBy(() -> StateFromLog.read(ring, log, START))
                    .hasMessageContaining("cannot follow execution 1 of the book");
        }
    }

    @Test
    void aStateThatAnOrderCannotGetIsRefused() {
        try (BurstLog first = open()) {
            append(first, "orders", execution(1, 1, 1, NEW, 100, 0));
            append(first, "orders", execution(2, 1, 2, FILLED, 100, 100));
            append(first, "orders", execution(3, 1, 3, PARTIALLY_FILLED, 100, 10));
            append(first, "orders", START);
            first.flush();
            assertThatThrownBy(() -> StateFromLog.read(ring, log, START))
                    .hasMessageContaining("state=PARTIALLY_FILLED")
                    .hasMessageContaining("cannot follow \"execution 2");
        }
    }
}

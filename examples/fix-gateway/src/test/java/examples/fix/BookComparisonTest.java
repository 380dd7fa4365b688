// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BookComparisonTest {
    private final List<Reported> gateway = new ArrayList<>();
    private final List<Reported> counterparty = new ArrayList<>();

    @BeforeEach
    void bothKnowTheSame() {
        for (int order = 1; order <= 4; order++) {
            gateway.add(reported(2 * order - 1, order, "0", 0));
            gateway.add(reported(2 * order, order, "1", 50));
        }
        counterparty.addAll(gateway);
    }

    private static Reported reported(int execution, int order, String ordStatus, long filled) {
        return new Reported("E-" + execution, "G-" + order, "ORD-" + order, ordStatus, 100, filled, 10.5);
    }

    private List<String> differences() {
        return BookComparison.differences(gateway, counterparty);
    }

    @Test
    void equalBooksAreEqual(@TempDir Path directory) throws IOException {
        assertThat(differences()).isEmpty();
        Reported.write(directory.resolve("book"), gateway);
        assertThat(Reported.read(directory.resolve("book"))).isEqualTo(gateway);
    }

    @Test
    void theGatewayMayBeAhead() {
        gateway.add(reported(9, 4, "2", 100));
        gateway.add(reported(10, 5, "0", 0));
        assertThat(differences()).isEmpty();
    }

    @Test
    void theGatewayMayNotBeBehind() {
        gateway.remove(7);
        assertThat(differences()).containsExactly("the gateway knows 7 executions, and its counterparty 8");
    }

    @Test
    void eachValueOfAnOrderMatters() {
        for (Reported other : List.of(
                new Reported("E-4", "G-2", "ORD-2", "2", 100, 50, 10.5),
                new Reported("E-4", "G-2", "ORD-9", "1", 100, 50, 10.5),
                new Reported("E-4", "G-2", "ORD-2", "1", 101, 50, 10.5),
                new Reported("E-4", "G-2", "ORD-2", "1", 100, 51, 10.5),
                new Reported("E-4", "G-2", "ORD-2", "1", 100, 50, 10.6))) {
            gateway.set(3, other);
            assertThat(differences()).hasSize(1).first().asString().startsWith("G-2 is [");
        }
    }

    @Test
    void anExecutionOfAnotherOrderIsFound() {
        gateway.set(3, reported(4, 7, "1", 50));
        assertThat(differences()).hasSize(2).contains("G-7 was never reported");
    }

    @Test
    void aGapIsFoundOnBothSides() {
        counterparty.remove(2);
        assertThat(differences()).contains("the counterparty's book has E-4 at place 3");
        counterparty.clear();
        assertThat(differences()).contains("the counterparty's book has no execution, so there is nothing to compare");
        gateway.remove(2);
        assertThat(differences()).contains("the gateway's book has E-4 at place 3");
    }
}

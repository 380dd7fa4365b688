// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProofTest {
    private static final int ORDERS = 4;

    @TempDir
    private Path directory;

    private final List<String> book = new ArrayList<>();
    private final List<String> log = new ArrayList<>();

    @BeforeEach
    void everyOrderIsConfirmedOnce() {
        for (int number = 1; number <= ORDERS; number++) {
            String clOrdId = "ORD-" + number;
            book.add("sent " + clOrdId + " ");
            book.add("confirmed " + clOrdId + " " + confirmation(number));
            log.add(message("incoming", order(number)));
            log.add(accepted(number, clOrdId));
            log.add(message("outgoing", confirmation(number)));
        }
    }

    @Test
    void aLogWithEveryConfirmedOrderOnceAndInOrderIsProved() throws IOException {
        assertThat(differences()).isEmpty();
    }

    @Test
    void anOrderThatFixDeliversAgainIsNoDifference() throws IOException {
        log.add(message("incoming", order(2).replace("|34=2|", "|34=2|43=Y|")));
        log.add(message("outgoing", confirmation(2).replace("|34=2|", "|34=9|")));
        book.add("repeated ORD-2 " + confirmation(2).replace("|34=2|", "|34=9|"));
        assertThat(differences()).isEmpty();
    }

    @Test
    void anUnconfirmedOrderMayOrMayNotBeInTheLog() throws IOException {
        book.add("sent ORD-5 ");
        book.add("sent ORD-6 ");
        log.add(message("incoming", order(5)));
        log.add(accepted(5, "ORD-5"));
        assertThat(differences()).isEmpty();
    }

    @Test
    void aConfirmedOrderThatIsNotInTheLogIsFound() throws IOException {
        log.subList(3 * (ORDERS - 1), 3 * ORDERS).clear();
        assertThat(differences()).contains("ORD-4 was confirmed but is not in the log");
    }

    @Test
    void anOrderAcceptedTwiceIsFound() throws IOException {
        log.add(accepted(5, "ORD-2"));
        assertThat(differences()).contains("ORD-2 is accepted twice in the log");
    }

    @Test
    void aDuplicatedLineOfAnUnconfirmedOrderIsFoundToo() throws IOException {
        book.add("sent ORD-5 ");
        log.add(message("incoming", order(5)));
        log.add(accepted(5, "ORD-5"));
        log.add(accepted(5, "ORD-5"));
        assertThat(differences())
                .containsExactly(
                        "execution 5 stands in the log right after execution 5", "ORD-5 is accepted twice in the log");
    }

    @Test
    void aMissingLineBetweenTwoOthersIsFoundByItsNumber() throws IOException {
        log.remove(accepted(2, "ORD-2"));
        assertThat(differences())
                .containsExactly(
                        "execution 3 stands in the log right after execution 1",
                        "ORD-2 was confirmed but is not in the log");
    }

    @Test
    void ordersInAnotherOrderThanConfirmedAreFound() throws IOException {
        log.set(1, accepted(1, "ORD-2"));
        log.set(4, accepted(2, "ORD-1"));
        assertThat(differences()).contains("ORD-2 was confirmed after an order that stands behind it in the log");
    }

    @Test
    void anOrderThatNobodySentIsFound() throws IOException {
        log.add(message("incoming", order(5)));
        log.add(accepted(5, "ORD-5"));
        assertThat(differences()).containsExactly("ORD-5 is in the log but was never sent");
    }

    @Test
    void anOrderWithoutTheMessageThatBroughtItIsFound() throws IOException {
        log.remove(message("incoming", order(3)));
        assertThat(differences()).containsExactly("ORD-3 is accepted in the log without the message that brought it");
    }

    @Test
    void aConfirmationWithOneAlteredCharacterIsFound() throws IOException {
        log.set(2, log.get(2).replace("|17=E-1|", "|17=E-7|"));
        assertThat(differences()).containsExactly("received 1 times but in the log 0 times: " + confirmation(1));
    }

    @Test
    void aConfirmationWrittenTwiceIsFound() throws IOException {
        log.add(message("outgoing", confirmation(3)));
        assertThat(differences()).containsExactly("received 1 times but in the log 2 times: " + confirmation(3));
    }

    @Test
    void anEmptyBookProvesNothing() throws IOException {
        book.clear();
        log.clear();
        assertThat(differences()).containsExactly("the book has no confirmed order, so there is nothing to prove");
    }

    private List<String> differences() throws IOException {
        Path bookFile = Files.write(directory.resolve("book"), book);
        Path logFile = Files.write(directory.resolve("log"), log);
        return Proof.differences(BookContent.read(bookFile), GatewayLog.read(logFile));
    }

    private static String accepted(int number, String clOrdId) {
        return "2026-01-02T03:04:05,678 orders [QFJ Message Processor] execution " + number + " order=" + number
                + " step=1 clOrdID=" + clOrdId + " state=NEW symbol=BURST side=1 quantity=100 price=10.0 filled=0";
    }

    private static String message(String direction, String text) {
        return "2026-01-02T03:04:05,678 " + direction + " [NioProcessor-2] FIX.4.4:GATEWAY->CLIENT: " + text;
    }

    private static String order(int number) {
        return "8=FIX.4.4|9=100|35=D|34=" + number + "|49=CLIENT|56=GATEWAY|11=ORD-" + number + "|38=100|10=000|";
    }

    private static String confirmation(int number) {
        return "8=FIX.4.4|9=100|35=8|34=" + number + "|49=GATEWAY|56=CLIENT|37=G-" + number + "|11=ORD-" + number
                + "|17=E-" + number + "|39=0|38=100|14=0|44=10|10=000|";
    }
}

// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Proves from the counterparty's book what the gateway's log must hold, and that the gateway's book, rebuilt from that
 * log, is the counterparty's. Exits with 0 if so; with 1 and the first differences if not. {@link Proof} and
 * {@link BookComparison} say precisely what is compared.
 *
 * <pre>java examples.fix.Checker BOOK-FILE LOG-FILE RING REBUILT-BOOK BOOK-FILE-AT-THE-KILL</pre>
 *
 * REBUILT-BOOK is what the gateway rebuilt when it started after the kill.
 */
public final class Checker {
    private static final int DIFFERENCES_SHOWN = 5;

    private Checker() {}

    public static void main(String[] arguments) throws IOException {
        BookContent book = BookContent.read(Path.of(arguments[0]));
        GatewayLog log = GatewayLog.read(Path.of(arguments[1]));
        List<Reported> rebuilt = Reported.read(Path.of(arguments[3]));
        List<Reported> atKill = BookContent.read(Path.of(arguments[4])).reported();
        List<Reported> atEnd =
                StateFromLog.readAll(Path.of(arguments[2])).book().reported();
        List<String> differences = new ArrayList<>(Proof.differences(book, log));
        differences.addAll(BookComparison.differences(rebuilt, atKill));
        differences.addAll(BookComparison.differences(atEnd, book.reported()));
        if (atEnd.size() != book.reported().size()) {
            differences.add("the last reports are missing: the gateway has made " + atEnd.size() + " executions, and "
                    + book.reported().size() + " have been reported");
        }

        int received = book.confirmations().size();
        int accepted = log.accepted().size();
        System.out.printf(
                "book: %,d orders sent, %,d confirmed; %,d reports received, %,d of them for the second time%n",
                book.sent().size(),
                book.confirmed().size(),
                received,
                received - book.reported().size());
        System.out.printf(
                "log:  %,d orders accepted, %,d order messages, as FIX delivered %,d again after the crash%n",
                accepted, log.orderMessages(), log.orderMessages() - accepted);
        if (differences.isEmpty()) {
            System.out.printf(
                    "PROVED: every one of the %,d confirmed orders is in the log exactly once and in order%n",
                    book.confirmed().size());
            System.out.printf(
                    "PROVED: after the kill the gateway's book, rebuilt from its log, is the counterparty's: %,d executions"
                            + " of %,d orders, and %,d by which it is ahead%n",
                    atKill.size(), orders(atKill), rebuilt.size() - atKill.size());
            System.out.printf(
                    "        at the end they are equal again: %,d executions of %,d orders, in %d states%n",
                    atEnd.size(),
                    orders(atEnd),
                    atEnd.stream().map(Reported::ordStatus).distinct().count());
            return;
        }
        differences.stream().limit(DIFFERENCES_SHOWN).forEach(difference -> System.out.println("  " + difference));
        System.out.printf("NOT PROVED: %,d differences between the book and the log%n", differences.size());
        System.exit(1);
    }

    private static long orders(List<Reported> book) {
        return book.stream().map(Reported::orderId).distinct().count();
    }
}

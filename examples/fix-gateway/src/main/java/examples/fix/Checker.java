// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Proves from the counterparty's book what the gateway's log must hold. Exits with 0 if the log holds it; with 1 and
 * the first differences if not. {@link Proof} says precisely what is counted.
 *
 * <pre>java examples.fix.Checker BOOK-FILE LOG-FILE</pre>
 */
public final class Checker {
    private static final int DIFFERENCES_SHOWN = 5;

    private Checker() {}

    public static void main(String[] arguments) throws IOException {
        BookContent book = BookContent.read(Path.of(arguments[0]));
        GatewayLog log = GatewayLog.read(Path.of(arguments[1]));
        List<String> differences = Proof.differences(book, log);

        int received = book.confirmations().size();
        int accepted = log.accepted().size();
        System.out.printf(
                "book: %,d orders sent, %,d confirmed; %,d confirmations received, %,d of them for the second time%n",
                book.sent().size(),
                book.confirmed().size(),
                received,
                received - book.confirmed().size());
        System.out.printf(
                "log:  %,d orders accepted, %,d order messages, as FIX delivered %,d again after the crash%n",
                accepted, log.orderMessages(), log.orderMessages() - accepted);
        if (differences.isEmpty()) {
            System.out.printf(
                    "PROVED: every one of the %,d confirmed orders is in the log exactly once and in order%n",
                    book.confirmed().size());
            return;
        }
        differences.stream().limit(DIFFERENCES_SHOWN).forEach(difference -> System.out.println("  " + difference));
        System.out.printf("NOT PROVED: %,d differences between the book and the log%n", differences.size());
        System.exit(1);
    }
}

// SPDX-License-Identifier: Apache-2.0
package examples.plain;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Confirms many orders with one write. It reads orders, one a line, and confirms each to its client when it is durable,
 * not before. The thread that reads never waits for the medium. Kill it at any time and start it again: all confirmed
 * orders are in orders.log. The argument says for how many milliseconds orders may wait for more to share their write.
 */
public final class Confirm {
    private static final Unconfirmed NO_MORE = new Unconfirmed(0, null);

    private record Unconfirmed(long sequence, String order) {}

    private Confirm() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        BurstConfig config = BurstConfig.builder()
                .ring("orders.ring")
                .fileName("orders.log")
                .batchDelay(Duration.ofMillis(arguments.length > 0 ? Long.parseLong(arguments[0]) : 0))
                .build();
        BlockingQueue<Unconfirmed> unconfirmed = new LinkedBlockingQueue<>();
        try (BurstLog log = BurstLog.open(config)) {
            Thread confirming = new Thread(() -> confirm(log, unconfirmed), "confirm");
            confirming.start();
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, UTF_8));
            long accepted = 0;
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                long sequence = log.offer((order + "\n").getBytes(UTF_8)); // never waits for the medium
                if (sequence < 0) {
                    System.out.println("refused " + order); // the ring is full: the client may try again
                } else {
                    unconfirmed.add(new Unconfirmed(sequence, order));
                    accepted++;
                }
            }
            unconfirmed.add(NO_MORE);
            confirming.join();
            System.out.println(accepted + " orders, " + log.stats().commits() + " commits");
        }
    }

    /** One wait covers a whole write: the other orders of that write need no wait. */
    private static void confirm(BurstLog log, BlockingQueue<Unconfirmed> unconfirmed) {
        try {
            // doc: confirm
            for (Unconfirmed next = unconfirmed.take(); next != NO_MORE; next = unconfirmed.take()) {
                while (log.durableSequence() < next.sequence()) {
                    log.awaitDurable(next.sequence(), Duration.ofSeconds(1)); // throws if the ring has failed
                }
                System.out.println("confirmed " + next.order());
            }
            // end
        } catch (InterruptedException | RuntimeException notConfirmed) {
            notConfirmed.printStackTrace();
            System.exit(1);
        }
    }
}

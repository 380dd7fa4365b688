// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.BurstException;
import io.burstlog.copy.BurstCopier;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A host until it is killed: its threads append lines, "NAME-THREAD N SEQUENCE" without the sequence, and print what
 * becomes of each: {@code copied}, or {@code alone} if the copy is away. It prints the events of log and copier, too.
 */
final class CopiedHost {

    private CopiedHost() {}

    /** Arguments: directory, URI, NAME, WAIT or DEGRADE, number of threads. */
    public static void main(String[] arguments) throws Exception {
        String name = arguments[2];
        CopiedLog log = new CopiedLog(
                Path.of(arguments[0]),
                Map.of("metadataServiceUri", arguments[1], "addEntryTimeoutSec", "2", "zkTimeout", "4000"),
                BurstCopier.Away.valueOf(arguments[3]),
                event -> System.out.println(
                        "event " + event.severity() + " " + event.text().replace('\n', ' ')));
        System.out.println("ring " + log.ringId());
        for (int i = 1; i < Integer.parseInt(arguments[4]); i++) {
            String thread = name + "-" + i;
            new Thread(() -> append(log, thread)).start();
        }
        append(log, name + "-0");
    }

    private static void append(CopiedLog log, String thread) {
        try {
            for (long i = 1; ; i++) {
                String line = thread + " " + i;
                long sequence = log.append(line);
                boolean isCopied = isCopied(log, sequence);
                System.out.println((isCopied ? "copied " : "alone ") + line + " " + sequence);
                if (!isCopied) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
            }
        } catch (Throwable failure) {
            System.out.println("failed " + thread + " " + failure);
            Runtime.getRuntime().halt(1);
        }
    }

    private static boolean isCopied(CopiedLog log, long sequence) {
        try {
            return log.awaitCopied(sequence);
        } catch (BurstException away) {
            if (log.failure() != null) {
                throw new IllegalStateException(log.failure(), away);
            }
            return false;
        }
    }
}

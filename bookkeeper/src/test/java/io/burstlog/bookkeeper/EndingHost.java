// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.copy.BurstCopier;
import java.nio.file.Path;
import java.util.Map;

/** An application that returns from main without closing its log: a shutdown hook logs once more, and closes it. */
final class EndingHost {

    private EndingHost() {}

    public static void main(String[] arguments) throws Exception {
        CopiedLog log = new CopiedLog(
                Path.of(arguments[0]),
                Map.of("metadataServiceUri", arguments[1]),
                BurstCopier.Away.WAIT,
                event -> System.out.println("event " + event.text()));
        System.out.println("ring " + log.ringId());
        log.awaitCopied(log.append(1, 100));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            log.awaitCopied(log.append(101, 200));
            log.close();
        }));
    }
}

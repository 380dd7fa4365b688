// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import io.burstlog.copy.BurstCopier;
import io.burstlog.copy.CopyPlace;
import io.burstlog.copy.CopySettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A host until it is killed: it writes records "RUN NUMBER", with a copy in a topic, and prints the number of each that
 * has two copies. Arguments: its folder, brokers, topic, run.
 */
final class CopiedHost {

    private CopiedHost() {}

    public static void main(String[] arguments) {
        Path folder = Path.of(arguments[0]);
        BurstLog log = BurstLog.open(BurstConfig.builder()
                .ring(folder.resolve("copied.ring").toString())
                .fileName(folder.resolve("copied.log").toString())
                .durability(Durability.PROCESS)
                .copy(arguments[2])
                .build());
        System.out.println("ring " + log.ringId());
        BurstCopier.start(
                log,
                CopySettings.builder()
                        .store(() -> new KafkaCopyStore(
                                log.ringId(), arguments[2], Map.of("bootstrap.servers", arguments[1])))
                        .atLeast(CopyPlace.parse("memory of 1"))
                        .listener(event -> System.err.println(event.severity() + " " + event.text()))
                        .build());
        for (int number = 1; ; number++) {
            long sequence = log.append((arguments[3] + ' ' + number + '\n').getBytes(UTF_8));
            if (number % 10 == 0 && log.awaitCopied(sequence, Duration.ofMinutes(2))) {
                System.out.println("copied " + number);
            }
        }
    }
}

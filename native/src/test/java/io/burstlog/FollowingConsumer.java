// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A process that prints each record it gets, and acknowledges every tenth. It runs until it is killed. */
final class FollowingConsumer {

    private FollowingConsumer() {}

    static List<String> command(Path folder) {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
        if (Runtime.version().feature() >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of(
                "-cp", System.getProperty("java.class.path"), FollowingConsumer.class.getName(), folder.toString()));
        return command;
    }

    public static void main(String[] arguments) {
        try (BurstConsumer consumer = BurstConsumer.open(arguments[0], "follower")) {
            say("begins " + consumer.position());
            while (true) {
                ConsumedRecords records = consumer.poll(1 << 14, Duration.ofSeconds(100));
                while (records.next()) {
                    say(StandardCharsets.UTF_8.decode(records.data()).toString());
                    if (records.number() % 10 == 0) {
                        consumer.ack(records.number());
                        say("acknowledged " + records.number());
                    }
                }
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}

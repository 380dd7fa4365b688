// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** One broker for all classes of tests of a JVM: it takes some seconds to start. */
final class SharedBroker {

    private static Broker broker;

    private SharedBroker() {}

    static synchronized Broker get() throws IOException {
        if (broker == null) {
            Path work = Path.of("target", "broker").toAbsolutePath();
            deleteTree(work);
            broker = new Broker(work);
        }
        return broker;
    }

    static void deleteTree(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> tree = Files.walk(directory)) {
                for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }
}

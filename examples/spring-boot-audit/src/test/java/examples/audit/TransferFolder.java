// SPDX-License-Identifier: Apache-2.0
package examples.audit;

import io.burstlog.BurstReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The files of one service. */
final class TransferFolder {
    private TransferFolder() {}

    static void empty(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> tree = Files.walk(folder)) {
                for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
        Files.createDirectories(folder);
    }

    /** The records of the audit trail, without their times and without the starts. */
    static List<String> trail(Path folder) throws IOException {
        try (BurstReader reader = BurstReader.of(folder.resolve("audit.ring").toString())
                .fromOldest()
                .open()) {
            return reader.stream()
                    .map(record -> new String(record.data(), StandardCharsets.UTF_8)
                            .strip()
                            .split(" ", 2)[1])
                    .filter(text -> !text.startsWith("start "))
                    .toList();
        }
    }
}

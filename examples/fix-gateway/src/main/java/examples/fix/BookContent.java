// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A {@link Book} that was read back: the ClOrdIDs sent and confirmed, each in the order of events; each report
 * received, in the order of events; and the text of every ExecutionReport, repeated ones included.
 */
record BookContent(Set<String> sent, Set<String> confirmed, List<Reported> reported, List<String> confirmations) {

    static BookContent read(Path file) throws IOException {
        BookContent content =
                new BookContent(new LinkedHashSet<>(), new LinkedHashSet<>(), new ArrayList<>(), new ArrayList<>());
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                content.add(line.split(" ", 3), file);
            }
        }
        return content;
    }

    private void add(String[] entry, Path file) throws IOException {
        switch (entry[0]) {
            case Book.SENT -> sent.add(entry[1]);
            case Book.CONFIRMED -> {
                confirmed.add(entry[1]);
                addReport(entry[2]);
            }
            case Book.REPORTED -> addReport(entry[2]);
            case Book.REPEATED -> confirmations.add(entry[2]);
            default -> throw new IOException(file + ": unknown entry \"" + String.join(" ", entry) + '"');
        }
    }

    private void addReport(String text) {
        reported.add(Reported.of(text));
        confirmations.add(text);
    }
}

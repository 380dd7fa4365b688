// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Judges what was recovered by what {@link CopiedHost}s have said. */
final class Copies {

    private static final Pattern MISSING = Pattern.compile("records (\\d+) to (\\d+) are not in it");

    private Copies() {}

    /** {@return the rest of each whole line that begins with the word} */
    static List<String> said(Path output, String word) {
        try {
            String text = Files.exists(output) ? Files.readString(output) : "";
            return text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
                    .filter(line -> line.startsWith(word))
                    .map(line -> line.substring(word.length()))
                    .toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static int count(Path output, String word) {
        return said(output, word).size();
    }

    /** {@return the sequences that the engine has named as missing} */
    static Set<Long> missing(Stream<String> events) {
        Set<Long> named = new HashSet<>();
        events.forEach(event -> {
            Matcher range = MISSING.matcher(event);
            while (range.find()) {
                LongStream.rangeClosed(Long.parseLong(range.group(1)), Long.parseLong(range.group(2)))
                        .forEach(named::add);
            }
        });
        return named;
    }

    static String mainStream(Path folder) throws IOException {
        return Files.readString(folder.resolve("orders.log"));
    }

    /**
     * Demands of each thread's lines that they are there once, in order; that all are there which a host has said to be
     * copied; and of those that a host has said to be alone, all but exactly those that the engine has named. The copy
     * may lack any that come behind the last record that is known to be copied: the next copier names them.
     *
     * @param outputs what the hosts of the ring have printed
     * @return what is wrong, in a sentence; null if nothing is
     */
    static String wrong(Path folder, List<Path> outputs) throws IOException {
        Set<Long> named = new HashSet<>();
        Map<String, Long> sequences = new HashMap<>();
        Set<String> copied = new HashSet<>();
        for (Path output : outputs) {
            named.addAll(missing(said(output, "event ").stream()));
            for (String word : List.of("copied ", "alone ")) {
                for (String line : said(output, word)) {
                    int space = line.lastIndexOf(' ');
                    sequences.put(line.substring(0, space), Long.parseLong(line.substring(space + 1)));
                    if (word.equals("copied ")) {
                        copied.add(line.substring(0, space));
                    }
                }
            }
        }
        Map<String, Long> last = new HashMap<>();
        Set<String> found = new HashSet<>();
        for (String line : mainStream(folder).lines().toList()) {
            String thread = line.substring(0, line.indexOf(' '));
            long number = Long.parseLong(line.substring(line.indexOf(' ') + 1));
            long before = last.getOrDefault(thread, 0L);
            if (number <= before) {
                return line + " comes behind " + before;
            }
            for (long i = before + 1; i < number; i++) {
                Long sequence = sequences.get(thread + " " + i);
                if (sequence == null || !named.contains(sequence)) {
                    return thread + " " + i + " is not there, its sequence " + sequence + " was not named";
                }
            }
            last.put(thread, number);
            found.add(line);
        }
        long newest = copied.stream().mapToLong(sequences::get).max().orElse(0);
        for (Map.Entry<String, Long> each : sequences.entrySet()) {
            boolean isNamed = named.contains(each.getValue());
            boolean isThere = found.contains(each.getKey());
            if (copied.contains(each.getKey()) && !isThere) {
                return each + " was copied, and is not there";
            }
            if (isNamed && isThere) {
                return each + " was named as missing, and is there";
            }
            if (!isNamed && !isThere && each.getValue() <= newest) {
                return each + " is not there, and was not named";
            }
        }
        return null;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts the system calls of the marking thread between its two marks, from the output of {@code strace -f}. */
final class SystemCallTrace {
    private static final Pattern CALL = Pattern.compile("(\\d+) +([a-z0-9_]+)\\(.*");

    private SystemCallTrace() {}

    static Map<String, Integer> callsBetween(String begin, String end, Path trace) throws IOException {
        Map<String, Integer> calls = new TreeMap<>();
        String markingThread = null;
        for (String line : Files.readAllLines(trace)) {
            Matcher call = CALL.matcher(line);
            // A line that finishes an earlier call is no further call.
            if (!call.matches()) {
                continue;
            }
            if (line.contains('"' + begin + '"')) {
                markingThread = call.group(1);
            } else if (line.contains('"' + end + '"')) {
                return calls;
            } else if (call.group(1).equals(markingThread)) {
                calls.merge(call.group(2), 1, Integer::sum);
            }
        }
        throw new AssertionError(trace + ": found no " + (markingThread == null ? begin : end));
    }
}

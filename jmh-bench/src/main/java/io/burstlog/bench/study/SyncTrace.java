// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** All calls of a process's threads on certain files between its two marks, as {@code strace -f -y} printed them. */
public final class SyncTrace {

    /** The calls that strace must follow. */
    static final String CALLS =
            "%file,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,sync_file_range,msync,mmap,io_uring_enter";

    // "1234 fdatasync(7</a/file>) = 0": a thread, a call, its descriptor's file if it has one, the rest.
    private static final Pattern CALL = Pattern.compile("\\d+ +([a-z0-9_]+)\\((?:\\d+<([^>]*)>)?(.*)");
    private static final Pattern OPENED = Pattern.compile(".*\"([^\"]*)\", ([A-Z_|]+).* = \\d+.*");
    private static final Pattern MAPPED = Pattern.compile(".*MAP_SHARED.*\\d+<([^>]*)>.*");

    private final Map<String, String> openFlags = new HashMap<>();
    private final Predicate<String> counts;
    private int writes;
    private int durableWrites;
    private int directWrites;
    private int syncs;
    private int waitingMsyncs;
    private int otherMsyncs;
    private int rings;
    private boolean mapped;
    private boolean between;

    private SyncTrace(Predicate<String> counts) {
        this.counts = counts;
    }

    /** @param counts selects the files by their paths */
    static SyncTrace read(Path trace, Predicate<String> counts) throws IOException {
        return read(Files.readAllLines(trace), counts);
    }

    public static SyncTrace read(List<String> lines, Predicate<String> counts) {
        SyncTrace read = new SyncTrace(counts);
        boolean began = false;
        for (String line : lines) {
            if (line.contains('"' + SyncStudy.BEGIN + '"')) {
                read.between = began = true;
            } else if (line.contains('"' + SyncStudy.END + '"')) {
                read.between = false;
            } else {
                read.line(line);
            }
        }
        if (!began || read.between) {
            throw new IllegalStateException("The trace has not both marks of begin and end.");
        }
        return read;
    }

    private void line(String line) {
        Matcher call = CALL.matcher(line);
        // A line that finishes an earlier call is no further call.
        if (!call.matches()) {
            return;
        }
        String file = call.group(2) == null ? "" : call.group(2);
        String rest = call.group(3);
        switch (call.group(1)) {
            case "openat", "open", "creat" -> opened(line);
            case "mmap" -> mapped |= isMapped(rest);
            case "msync" -> msync(rest);
            case "io_uring_enter" -> rings += between ? 1 : 0;
            case "fsync", "fdatasync" -> syncs += between && counts.test(file) ? 1 : 0;
            case "write", "writev", "pwrite64", "pwritev", "pwritev2" -> wrote(file, rest);
            default -> {}
        }
    }

    private void opened(String line) {
        Matcher opened = OPENED.matcher(line);
        if (opened.matches()) {
            // A file may be opened several times, for locks and the like: every flag counts.
            openFlags.merge(opened.group(1), opened.group(2), (first, second) -> first + "|" + second);
        }
    }

    private boolean isMapped(String rest) {
        Matcher shared = MAPPED.matcher(rest);
        return shared.matches() && counts.test(shared.group(1));
    }

    private void msync(String rest) {
        if (between) {
            waitingMsyncs += rest.contains("MS_SYNC") ? 1 : 0;
            otherMsyncs += rest.contains("MS_SYNC") ? 0 : 1;
        }
    }

    private void wrote(String file, String rest) {
        if (!between || !counts.test(file)) {
            return;
        }
        String flags = openFlags.getOrDefault(file, "");
        writes++;
        if (rest.contains("RWF_DSYNC")
                || rest.contains("RWF_SYNC")
                || flags.contains("O_DSYNC")
                || flags.contains("O_SYNC")) {
            durableWrites++;
        } else if (flags.contains("O_DIRECT")) {
            directWrites++;
        }
    }

    public Map<String, Object> toJson(String name) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("writes", writes);
        json.put("durableWrites", durableWrites);
        json.put("directWrites", directWrites);
        json.put("syncs", syncs);
        json.put("waitingMsyncs", waitingMsyncs);
        json.put("otherMsyncs", otherMsyncs);
        json.put("ioUringEnters", rings);
        json.put("mapped", mapped);
        return json;
    }
}

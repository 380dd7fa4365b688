// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The place to which a command recovers the records of a copy: a new folder with a file a stream, or a ring. */
public final class CopyTarget {

    private final Path folder;
    private final Path ring;
    private final Map<String, String> files;
    private final Map<String, String> segments;
    private final long from;

    private CopyTarget(Path folder, Path ring, Map<String, String> files, Map<String, String> segments, long from) {
        this.folder = folder;
        this.ring = ring;
        this.files = files;
        this.segments = segments;
        this.from = from;
    }

    /**
     * Reads the options {@code to}, {@code into}, {@code files} and {@code from}, and takes them out. It refuses what
     * is there already, before a copy is fenced for it.
     *
     * @param options the options of a command, without their dashes
     * @return the place
     * @throws IOException if the folder is there, or the ring has records
     * @throws IllegalArgumentException if an option cannot be used: one sentence
     * @throws io.burstlog.BurstException if the ring cannot be opened
     */
    public static CopyTarget of(Map<String, String> options) throws IOException {
        String to = options.remove("to");
        String into = options.remove("into");
        Map<String, String> files = paths(options, "files");
        Map<String, String> segments = paths(options, "segments");
        long from = sequence(options.remove("from"));
        if ((to == null) == (into == null)) {
            throw new IllegalArgumentException(
                    to == null ? "--to FOLDER or --into RING is missing." : "--to and --into exclude each other.");
        }
        if (into == null && !(files.isEmpty() && segments.isEmpty())) {
            throw new IllegalArgumentException("--files and --segments go with --into RING only.");
        }
        if (to != null && Files.exists(Path.of(to))) {
            throw new IOException(to + " is there already: name a new folder");
        }
        if (into != null) {
            CopyRing.requireEmpty(Path.of(into));
        }
        return new CopyTarget(
                to == null ? null : Path.of(to), into == null ? null : Path.of(into), files, segments, from);
    }

    private static long sequence(String text) {
        if (text != null && !text.matches("[1-9]\\d{0,17}")) {
            throw new IllegalArgumentException("--from " + text + " is no sequence; write a number from 1 on.");
        }
        return text == null ? 1 : Long.parseLong(text);
    }

    private static Map<String, String> paths(Map<String, String> options, String option) {
        Map<String, String> paths = new HashMap<>();
        String text = options.remove(option);
        for (String each : text == null ? new String[0] : text.split(",")) {
            int equals = each.indexOf('=');
            if (equals < 1 || equals == each.length() - 1) {
                throw new IllegalArgumentException("--" + option + " " + each + " is no STREAM=PATH.");
            }
            paths.put(each.substring(0, equals), each.substring(equals + 1));
        }
        return paths;
    }

    /**
     * Recovers the records of a copy to this place.
     *
     * @param store what keeps the copy, and was taken over; the caller closes it
     * @return as {@link CopyRecovery#to} and {@link CopyRecovery#into}
     * @throws IOException as these
     * @throws InterruptedException if the thread was interrupted
     */
    public CopyRecovery.Report recover(CopyStore store) throws IOException, InterruptedException {
        CopyRecovery recovery = CopyRecovery.of(store).from(from);
        return ring == null ? recovery.to(folder) : recovery.into(ring, files, segments);
    }
}

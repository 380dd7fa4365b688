// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** The place to which a command recovers the records of a copy: a new folder with a file a stream, or a ring. */
public final class CopyTarget {

    private final Path folder;
    private final Path ring;
    private final Map<String, String> files;
    private final Map<String, String> segments;
    private final UnaryOperator<CopyRecovery> from;

    private CopyTarget(
            Path folder,
            Path ring,
            Map<String, String> files,
            Map<String, String> segments,
            UnaryOperator<CopyRecovery> from) {
        this.folder = folder;
        this.ring = ring;
        this.files = files;
        this.segments = segments;
        this.from = from;
    }

    /**
     * Reads the options {@code to}, {@code into}, {@code files}, {@code segments} and {@code from}, and takes them out.
     * It refuses what is there already, before a copy is fenced for it.
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
        Map<String, String> files = pairs(options, "files", "STREAM=PATH");
        Map<String, String> segments = pairs(options, "segments", "STREAM=PATH");
        UnaryOperator<CopyRecovery> from = beginning(options);
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

    /** {@return what makes a recovery begin where the option says: with one sequence, or with one for each stream} */
    private static UnaryOperator<CopyRecovery> beginning(Map<String, String> options) {
        String text = options.get("from");
        if (text == null || text.contains("=")) {
            Map<String, Long> sequences = new HashMap<>();
            pairs(options, "from", "STREAM=SEQUENCE")
                    .forEach((stream, first) -> sequences.put(stream, sequence(first)));
            return recovery -> recovery.from(sequences);
        }
        options.remove("from");
        long sequence = sequence(text);
        return recovery -> recovery.from(sequence);
    }

    private static long sequence(String text) {
        if (!text.matches("[1-9]\\d{0,17}")) {
            throw new IllegalArgumentException("--from " + text + " is no sequence; write a number from 1 on.");
        }
        return Long.parseLong(text);
    }

    private static Map<String, String> pairs(Map<String, String> options, String option, String form) {
        Map<String, String> pairs = new HashMap<>();
        String text = options.remove(option);
        for (String each : text == null ? new String[0] : text.split(",")) {
            int equals = each.lastIndexOf('=');
            if (equals < 1 || equals == each.length() - 1) {
                throw new IllegalArgumentException("--" + option + " " + each + " is no " + form + ".");
            }
            pairs.put(each.substring(0, equals), each.substring(equals + 1));
        }
        return pairs;
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
        CopyRecovery recovery = from.apply(CopyRecovery.of(store));
        return ring == null ? recovery.to(folder) : recovery.into(ring, files, segments);
    }
}

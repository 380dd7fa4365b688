// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * The work that an interrupted verification has done: the first line has the archive and the head, and each further one
 * a full payload file in which nothing was found. Files with findings are checked again, so that the sentences are
 * those of now.
 *
 * <p>A line counts as long as inode, length and times of all that it is about are what they were before it was checked.
 * Nobody but root can turn back the time of an inode's change. A verification that ends deletes the file.
 */
final class VerificationState {

    private static final Base64.Encoder ENCODER = Base64.getEncoder();
    private static final String END = " .";

    private final Path file;
    private final Disk disk;
    private final Map<Long, Part> parts = new HashMap<>();
    private final Map<Long, String> stamps = new HashMap<>();
    private Checkpoint head;

    private VerificationState(Path file, Disk disk) {
        this.file = file;
        this.disk = disk;
    }

    /** @param file null for none */
    static VerificationState open(Path file, Disk disk) throws IOException {
        VerificationState state = new VerificationState(file, disk);
        if (file != null && Files.exists(file)) {
            List<String> lines = Files.readAllLines(file, UTF_8);
            try {
                state.readFirst(lines.isEmpty() ? "" : lines.get(0));
                for (int i = 1; state.head != null && i < lines.size(); i++) {
                    state.read(lines.get(i));
                }
            } catch (IllegalArgumentException | IndexOutOfBoundsException damaged) {
                throw new IOException(
                        "the state " + file + " cannot be used: " + damaged.getMessage() + "; delete it to begin anew",
                        damaged);
            }
        }
        return state;
    }

    private void readFirst(String line) throws IOException {
        if (!line.endsWith(END)) {
            Files.delete(file);
            return;
        }
        String[] words = line.split(" ");
        if (!text(words[0]).equals(disk.toString())) {
            throw new IOException("the state " + file + " is of a verification of " + text(words[0])
                    + ": delete it, or name another file for " + disk);
        }
        head = Checkpoint.of(text(words[1]));
    }

    private static String text(String base64) {
        return new String(Base64.getDecoder().decode(base64), UTF_8);
    }

    /** {@return the head of the interrupted verification; null if there is none} */
    Checkpoint head() {
        return head;
    }

    void begin(Checkpoint next) throws IOException {
        write(ENCODER.encodeToString(disk.toString().getBytes(UTF_8)) + " "
                + ENCODER.encodeToString(next.toString().getBytes(UTF_8)) + END);
    }

    /** Deletes the file: the verification has ended. */
    void end() throws IOException {
        if (file != null) {
            Files.deleteIfExists(file);
        }
    }

    /** {@return what was found in a payload file; null if that has to be checked} */
    Part part(long number, String stamp) {
        return stamp.equals(stamps.get(number)) ? parts.get(number) : null;
    }

    /** {@return inodes, lengths and times of the files that have the leaves of a full payload file; else nothing} */
    String stamp(long number, long size) throws IOException {
        if (file == null || size < (number + 1) * Tiles.PAYLOAD_LEAVES) {
            return "";
        }
        MessageDigest digest = Sha256.digest();
        add(digest, Tiles.payload(number));
        for (long bundle = number * Tiles.WIDTH; bundle < (number + 1) * Tiles.WIDTH; bundle++) {
            add(digest, Tiles.entries(bundle, Tiles.WIDTH));
            add(digest, Tiles.tile(0, bundle, Tiles.WIDTH));
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private void add(MessageDigest digest, String name) throws IOException {
        digest.update((name + " " + disk.stamp(name) + "\n").getBytes(UTF_8));
    }

    void add(long number, String stamp, Part part) throws IOException {
        boolean hasFound = !part.findings.isEmpty() || !part.filled.isEmpty() || part.gone != null;
        if (stamp.isEmpty() || part == parts.get(number) || hasFound) {
            return;
        }
        StringBuilder line = new StringBuilder();
        line.append(number).append(' ').append(stamp).append(' ').append(part.leaves);
        line.append(' ').append(part.records).append(' ').append(part.bytes);
        ByteBuffer oldest = ByteBuffer.allocate(part.oldest.length * Long.BYTES);
        oldest.asLongBuffer().put(part.oldest);
        line.append(" old 0 ").append(ENCODER.encodeToString(oldest.array()));
        part.acts.forEach(each -> append(line, "act", each.index(), each.leaf()));
        for (Part.Run each : part.runs) {
            append(line, "run", each.index, each.first);
            append(line, "to", each.index, each.last);
        }
        write(line.append(END).toString());
    }

    private static void append(StringBuilder line, String word, long index, Leaf leaf) {
        line.append(' ').append(word).append(' ').append(index).append(' ').append(ENCODER.encodeToString(leaf.raw()));
    }

    private void write(String line) throws IOException {
        if (file != null) {
            Files.writeString(file, line + "\n", UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }

    /** Reads a line; one that a kill cut short counts as not written. */
    private void read(String line) {
        String[] words = line.split(" ");
        if (!line.endsWith(END)) {
            return;
        }
        Part part = new Part();
        part.leaves = Long.parseLong(words[2]);
        part.records = Long.parseLong(words[3]);
        part.bytes = Long.parseLong(words[4]);
        for (int i = 5; i + 2 < words.length; i += 3) {
            long index = Long.parseLong(words[i + 1]);
            byte[] bytes = Base64.getDecoder().decode(words[i + 2]);
            switch (words[i]) {
                case "old" -> ByteBuffer.wrap(bytes).asLongBuffer().get(part.oldest);
                case "act" -> part.acts.add(new Part.Act(index, Leaf.of(bytes)));
                case "run" -> part.runs.add(new Part.Run(Leaf.of(bytes), index));
                default -> part.runs.get(part.runs.size() - 1).last = Leaf.of(bytes);
            }
        }
        parts.put(Long.parseLong(words[0]), part);
        stamps.put(Long.parseLong(words[0]), words[1]);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The work that a verification has done: the first line has the head, and each further one a payload file in which
 * nothing was found. Files with findings are checked again, so that the sentences are those of now.
 */
final class VerificationState {

    private static final Base64.Encoder ENCODER = Base64.getEncoder();

    private final Path file;
    private final Map<Long, Part> parts = new HashMap<>();
    private Checkpoint head;

    private VerificationState(Path file) {
        this.file = file;
    }

    static VerificationState open(Path file) throws IOException {
        VerificationState state = new VerificationState(file);
        if (file != null && Files.exists(file)) {
            List<String> lines = Files.readAllLines(file, UTF_8);
            try {
                state.head = lines.isEmpty() ? null : Checkpoint.of(text(lines.get(0)));
                for (int i = 1; i < lines.size(); i++) {
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

    private static String text(String base64) {
        return new String(Base64.getDecoder().decode(base64), UTF_8);
    }

    /** {@return the head of the interrupted verification; null if there is none} */
    Checkpoint head() {
        return head;
    }

    void begin(Checkpoint next) throws IOException {
        write(ENCODER.encodeToString(next.toString().getBytes(UTF_8)));
    }

    Part part(long number) {
        return parts.get(number);
    }

    void add(long number, Part part) throws IOException {
        if (file == null || parts.containsKey(number) || !part.findings.isEmpty() || !part.filled.isEmpty()) {
            return;
        }
        StringBuilder line = new StringBuilder();
        line.append(number).append(' ').append(part.leaves).append(' ').append(part.records);
        line.append(' ').append(part.bytes);
        part.acts.forEach(each -> append(line, "act", each.index(), each.leaf()));
        for (Part.Run each : part.runs) {
            append(line, "run", each.index, each.first);
            append(line, "to", each.index, each.last);
        }
        write(line.append(" .").toString());
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
        if (!words[words.length - 1].equals(".")) {
            return;
        }
        Part part = new Part();
        part.leaves = Long.parseLong(words[1]);
        part.records = Long.parseLong(words[2]);
        part.bytes = Long.parseLong(words[3]);
        for (int i = 4; i + 2 < words.length; i += 3) {
            long index = Long.parseLong(words[i + 1]);
            Leaf leaf = Leaf.of(Base64.getDecoder().decode(words[i + 2]));
            switch (words[i]) {
                case "act" -> part.acts.add(new Part.Act(index, leaf));
                case "run" -> part.runs.add(new Part.Run(leaf, index));
                default -> part.runs.get(part.runs.size() - 1).last = leaf;
            }
        }
        parts.put(Long.parseLong(words[0]), part);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file elsewhere, to whose end each head is written and synced: on another file system, of another host, made
 * append-only for whoever could change the archive. Heads follow each other, each with an empty line behind it.
 */
public final class FileAnchor implements Anchor {

    private static final String END = "\n";

    private final String name;
    private final Path file;

    /**
     * Names a file.
     *
     * @param name of the anchor
     * @param file which is made if its folder is there
     */
    public FileAnchor(String name, Path file) {
        this.name = name;
        this.file = file.toAbsolutePath();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public byte[] confirm(Checkpoint head, ArchiveReader archive) throws IOException {
        boolean isNew = !Files.exists(file);
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            // A crash or a full disk may have left half a head, which nobody takes for a whole one.
            long place = channel.size();
            ByteBuffer bytes = ByteBuffer.wrap((head + END).getBytes(UTF_8));
            int length = bytes.remaining();
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
            if (isNew) {
                try (FileChannel folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
                    folder.force(true);
                }
            }
            return ("file: " + file + "\noffset: " + place + "\nbytes: " + length + "\n").getBytes(UTF_8);
        } catch (IOException failed) {
            throw new IOException("it cannot be written to " + file + ": " + failed, failed);
        }
    }

    /**
     * Checks that the file still has the heads that the archive says it has, and the archive those that the file has.
     *
     * @param file the file, or a copy of it
     * @return the check
     */
    public static AnswerCheck check(Path file) {
        return new Check(file);
    }

    private static final class Check implements AnswerCheck {

        private static final Pattern ANSWER = Pattern.compile("file: .*\noffset: (\\d{1,18})\nbytes: \\d+\n");

        private final Path file;

        Check(Path file) {
            this.file = file;
        }

        @Override
        public Result check(Checkpoint head, byte[] answer) throws IOException {
            Matcher place = ANSWER.matcher(new String(answer, UTF_8));
            if (!place.matches()) {
                return Result.wrong("it names no place in a file");
            }
            byte[] wanted = (head + END).getBytes(UTF_8);
            long offset = Long.parseLong(place.group(1));
            ByteBuffer found = ByteBuffer.allocate(wanted.length);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                while (found.hasRemaining() && channel.read(found, offset + found.position()) >= 0) {}
            } catch (IOException failed) {
                throw unreadable(failed);
            }
            return Arrays.equals(found.array(), wanted)
                    ? Result.confirmed(null)
                    : Result.wrong(file + " does not have this head at byte " + offset);
        }

        @Override
        public List<Checkpoint> heads(String origin) throws IOException {
            List<Checkpoint> heads = new ArrayList<>();
            // A note has one empty line in it, and one behind it.
            String[] texts = text().split("(?=" + Pattern.quote(origin + "\n") + ")");
            for (String each : texts) {
                int end = each.lastIndexOf("\n\n");
                try {
                    Checkpoint head = Checkpoint.of(end < 0 ? "" : each.substring(0, end + 1));
                    if (head.origin().equals(origin)) {
                        heads.add(head);
                    }
                } catch (IllegalArgumentException half) {
                    // A crash left it, and the head was written again.
                    continue;
                }
            }
            return heads;
        }

        private String text() throws IOException {
            try {
                return new String(Files.readAllBytes(file), UTF_8);
            } catch (IOException failed) {
                throw unreadable(failed);
            }
        }

        private IOException unreadable(IOException failed) {
            return new IOException(
                    "the heads in " + file + " cannot be read: " + failed + "; name the file of the anchor", failed);
        }
    }

    @Override
    public String toString() {
        return "FileAnchor[" + name + " in " + file + "]";
    }
}

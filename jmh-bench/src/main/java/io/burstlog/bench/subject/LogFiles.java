// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/** Acts on log files from outside, whatever writes them. */
final class LogFiles {

    private static final int READ_BYTES = 1 << 20;

    private LogFiles() {}

    /** Waits until the kernel has written all that it has of the file, by whatever descriptor or mapping it came. */
    static void sync(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** -1 if the file was just rolled, and its successor is not there. */
    static long length(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException rolled) {
            return -1;
        }
    }

    /** Says whether all rolled files beside a log file are compressed. */
    static boolean areCompressed(Path file) throws IOException {
        try (Stream<Path> all = Files.list(file.getParent())) {
            return all.allMatch(each -> each.equals(file) || each.toString().endsWith(".gz"));
        }
    }

    /** Counts complete lines. Space that an appender has reserved behind its last line has none. */
    static long lines(Path file) throws IOException {
        long lines = 0;
        byte[] part = new byte[READ_BYTES];
        try (InputStream in = Files.newInputStream(file)) {
            for (int length = in.read(part); length > 0; length = in.read(part)) {
                for (int i = 0; i < length; i++) {
                    lines += part[i] == '\n' ? 1 : 0;
                }
            }
        }
        return lines;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling.shipping;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Follows the log files of a folder by the rule of some log shipper, and keeps the lines that the shipper would send. A
 * poll is one look at the folder. Not thread-safe.
 */
abstract class Shipper {

    private final List<String> lines = new ArrayList<>();
    private volatile int sent;
    private final StringBuilder begun = new StringBuilder();

    /** Looks once at the folder. A file that others rename or delete meanwhile counts for the next look. */
    abstract void poll(Path folder) throws IOException;

    /** All lines that it has sent, in that order. */
    final List<String> lines() {
        return lines;
    }

    /** How many lines with an event it has sent; any thread may ask. */
    final int sent() {
        return sent;
    }

    /** Reads on from there; returns where it ends now. */
    final long send(final FileChannel file, final long from) throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate(64 * 1024);
        long at = from;
        for (int read = file.read(bytes, at); read > 0; read = file.read(bytes, at)) {
            at += read;
            begun.append(new String(bytes.array(), 0, read, StandardCharsets.ISO_8859_1));
            bytes.clear();
        }
        for (int end = begun.indexOf("\n"); end >= 0; end = begun.indexOf("\n")) {
            lines.add(begun.substring(0, end));
            begun.delete(0, end + 1);
        }
        sent = (int) lines.stream().filter(line -> line.contains(" event ")).count();
        return at;
    }

    /** The files that it follows by a pattern with archives in it: all but compressed and unfinished ones. */
    static List<Path> plainFiles(final Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.getFileName().toString().matches("app.*\\.log"))
                    .sorted(Comparator.naturalOrder())
                    .toList();
        }
    }

    /**
     * The rule of Fluent Bit's tail and rsyslog's imfile: one name; a file is its inode, and is read to its end when it
     * has been renamed.
     */
    static final class ByInode extends Shipper {

        private final String name;
        private FileChannel file;
        private Object inode;
        private long at;

        ByInode(final String name) {
            this.name = name;
        }

        @Override
        void poll(final Path folder) throws IOException {
            final Path path = folder.resolve(name);
            final Object now = inodeOf(path);
            if (file != null) {
                if (file.size() < at) {
                    at = 0;
                }
                at = send(file, at);
            }
            if (now != null && !now.equals(inode)) {
                if (file != null) {
                    send(file, at);
                    file.close();
                }
                file = FileChannel.open(path);
                // It may already be the next file.
                inode = inodeOf(path);
                at = 0;
                if (now.equals(inode)) {
                    at = send(file, at);
                } else {
                    file.close();
                    file = null;
                    inode = null;
                }
            }
        }

        private static Object inodeOf(final Path path) throws IOException {
            try {
                return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
            } catch (final NoSuchFileException betweenTwoFiles) {
                return null;
            }
        }
    }

    /**
     * The rule of OpenTelemetry's filelog receiver (1,000 bytes) and Filebeat's fingerprint (1,024): a pattern; a file
     * is its first bytes, wherever it is found. Filebeat waits until there are as many; OpenTelemetry takes fewer for a
     * beginning.
     */
    static final class ByFirstBytes extends Shipper {

        private final int length;
        private final boolean waits;
        private final List<Known> known = new ArrayList<>();

        private static final class Known {
            private String beginning = "";
            private long at;
        }

        ByFirstBytes(final int length, final boolean waits) {
            this.length = length;
            this.waits = waits;
        }

        @Override
        void poll(final Path folder) throws IOException {
            for (final Path path : plainFiles(folder)) {
                try (FileChannel file = FileChannel.open(path)) {
                    final String beginning = first(file, length);
                    if (!beginning.isEmpty() && (!waits || beginning.length() == length)) {
                        final Known one = known(beginning);
                        one.beginning = beginning;
                        one.at = send(file, one.at);
                    }
                } catch (final NoSuchFileException renamed) {
                    continue;
                }
            }
        }

        private Known known(final String beginning) {
            for (final Known one : known) {
                if (beginning.startsWith(one.beginning)) {
                    return one;
                }
            }
            final Known one = new Known();
            known.add(one);
            return one;
        }
    }

    /** The rule of Vector's file source: a pattern; a file is its first line. */
    static final class ByFirstLine extends Shipper {

        private final Map<String, Long> known = new HashMap<>();

        @Override
        void poll(final Path folder) throws IOException {
            for (final Path path : plainFiles(folder)) {
                try (FileChannel file = FileChannel.open(path)) {
                    final String beginning = first(file, 64 * 1024);
                    final int end = beginning.indexOf('\n');
                    if (end >= 0) {
                        final String line = beginning.substring(0, end);
                        known.put(line, send(file, known.getOrDefault(line, 0L)));
                    }
                } catch (final NoSuchFileException renamed) {
                    continue;
                }
            }
        }
    }

    private static String first(final FileChannel file, final int bytes) throws IOException {
        final ByteBuffer first = ByteBuffer.allocate(bytes);
        final int read = file.read(first, 0);
        return new String(first.array(), 0, Math.max(0, read), StandardCharsets.ISO_8859_1);
    }
}

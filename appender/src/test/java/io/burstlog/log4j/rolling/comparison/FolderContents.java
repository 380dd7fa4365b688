// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling.comparison;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.commons.compress.compressors.CompressorException;
import org.apache.commons.compress.compressors.CompressorStreamFactory;

/** Names and texts of all files below a folder, decompressed. Rings are left out. */
public record FolderContents(Map<String, String> files) {

    static FolderContents of(final Path folder) throws IOException {
        final Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(folder)) {
            for (final Path file : all.filter(Files::isRegularFile).toList()) {
                if (!file.toString().endsWith(".ring")) {
                    files.put(folder.relativize(file).toString(), text(file));
                }
            }
        }
        return new FolderContents(files);
    }

    private static String text(final Path file) throws IOException {
        final byte[] bytes = Files.readAllBytes(file);
        final String name = file.getFileName().toString();
        if (bytes.length == 0) {
            return "";
        }
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "gz" -> text(new GZIPInputStream(new ByteArrayInputStream(bytes)));
            case "zip" -> zipped(bytes);
            case "bz2" -> compressed("bzip2", bytes);
            case "xz" -> compressed("xz", bytes);
            case "deflate" -> compressed("deflate", bytes);
            // The oldest Log4j writes plain text under such a name.
            case "zst" -> bytes[0] == 0x28 ? compressed("zstd", bytes) : new String(bytes, StandardCharsets.UTF_8);
            default -> new String(bytes, StandardCharsets.UTF_8);
        };
    }

    /** With the names inside. */
    private static String zipped(final byte[] bytes) throws IOException {
        final StringBuilder text = new StringBuilder();
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(bytes))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                text.append(entry.getName())
                        .append(": ")
                        .append(new String(zip.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return text.toString();
    }

    private static String compressed(final String method, final byte[] bytes) throws IOException {
        try {
            return text(
                    new CompressorStreamFactory().createCompressorInputStream(method, new ByteArrayInputStream(bytes)));
        } catch (final CompressorException unreadable) {
            throw new IOException(unreadable);
        }
    }

    private static String text(final InputStream in) throws IOException {
        try (in) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** One line for each file that differs; empty if none does. */
    public List<String> differencesFrom(final FolderContents other) {
        final TreeSet<String> names = new TreeSet<>(files.keySet());
        names.addAll(other.files.keySet());
        final List<String> differences = new ArrayList<>();
        for (final String name : names) {
            final String mine = files.get(name);
            final String theirs = other.files.get(name);
            if (!Objects.equals(mine, theirs)) {
                differences.add(name + ": " + shown(mine) + " | " + shown(theirs));
            }
        }
        return differences;
    }

    private static String shown(final String text) {
        if (text == null) {
            return "absent";
        }
        final String line = text.replace("\n", "\\n");
        return "\""
                + (line.length() < 300 ? line : line.substring(0, 140) + " .. " + line.substring(line.length() - 140))
                + "\"";
    }
}

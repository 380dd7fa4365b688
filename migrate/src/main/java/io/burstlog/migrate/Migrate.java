// SPDX-License-Identifier: Apache-2.0
package io.burstlog.migrate;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Changes Log4j configurations to {@code <Burst>}: a program, which needs no other jar.
 *
 * <pre>java -jar burstlog-migrate.jar [--write] [--set NAME=VALUE] FILE...</pre>
 *
 * <p>Prints one line for each file appender, the loss of each queue of Log4j before it, the cost of the new appenders,
 * and the changes as a diff. {@code --set ring=/fast/app.ring} gives each {@code <Burst>} this attribute, unless it has
 * it. {@code --write} makes the changes, and keeps a copy of the old file beside it, as {@code FILE.before-burst}.
 * Exits with 0 if every file appender is {@code <Burst>} now (or would be), with 1 if one had to be left as it is, with
 * 2 if a file could not be read or written.
 */
public final class Migrate {

    private static final String USAGE =
            "usage: java -jar burstlog-migrate.jar" + " [--write] [--set NAME=VALUE] FILE...";
    private static final String BACKUP = ".before-burst";

    private final PrintStream out;
    private final Map<String, String> added = new TreeMap<>();
    private boolean write;

    private Migrate(final PrintStream out) {
        this.out = out;
    }

    /**
     * The program.
     *
     * @param arguments options and names of files
     */
    public static void main(final String[] arguments) {
        System.exit(run(System.out, arguments));
    }

    /**
     * The program, without its exit.
     *
     * @param out gets what it prints
     * @param arguments options and names of files
     * @return the exit code
     */
    public static int run(final PrintStream out, final String... arguments) {
        final Migrate migrate = new Migrate(out);
        final List<Path> files = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].equals("--write")) {
                migrate.write = true;
            } else if (arguments[i].equals("--set") && i + 1 < arguments.length && arguments[i + 1].indexOf('=') > 0) {
                final String[] attribute = arguments[++i].split("=", 2);
                migrate.added.put(attribute[0], asBytes(attribute[1]));
            } else if (arguments[i].startsWith("--")) {
                files.clear();
                break;
            } else {
                files.add(Path.of(arguments[i]));
            }
        }
        if (files.isEmpty()) {
            out.println(USAGE);
            return 2;
        }
        return files.stream().mapToInt(migrate::file).max().getAsInt();
    }

    private int file(final Path file) {
        final Language language = Language.of(file.toString());
        if (language == null) {
            out.println(file + ": the name must end in .xml, .json, .jsn, .yaml, .yml or .properties");
            return 2;
        }
        try {
            // Bytes as they are: every name that this looks for is ASCII in all encodings but UTF-16.
            final String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
            if (text.indexOf('\0') >= 0) {
                out.println(file + ": it is not in UTF-8 or another encoding that begins with ASCII: convert it first");
                return 2;
            }
            final Migration migration = Migration.of(text, language, added);
            migration.told().forEach(line -> out.println(file + ": " + asText(line)));
            if (migration.edits().isEmpty()) {
                out.println(file + ": nothing to change"
                        + (migration.left() > 0 ? ", " + migration.left() + " left as they are" : ""));
            } else if (write) {
                replace(file, migration.applyTo(text));
                out.println(file + ": " + migration.changed() + " changed, " + migration.left()
                        + " left as they are; as it was: " + backup(file));
            } else {
                out.print(asText(LineChanges.of(asBytes(file.toString()), text, migration.edits())));
                out.println(file + ": " + migration.changed() + " to be changed, " + migration.left()
                        + " left as they are; nothing is written without --write");
            }
            return migration.left() > 0 ? 1 : 0;
        } catch (final Unreadable unreadable) {
            out.println(file + ": " + unreadable.getMessage());
        } catch (final IOException failed) {
            out.println(file + ": " + failed);
        }
        return 2;
    }

    private static String asBytes(final String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static String asText(final String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    private static Path backup(final Path file) {
        return file.resolveSibling(file.getFileName() + BACKUP);
    }

    /**
     * Replaces the file. At every moment its name leads to a whole file, the old or the new one. A backup is never
     * replaced.
     */
    private static void replace(final Path file, final String text) throws IOException {
        final Path real = file.toRealPath();
        Files.copy(real, backup(file), StandardCopyOption.COPY_ATTRIBUTES);
        final Path next = real.resolveSibling(real.getFileName() + ".burst-tmp");
        Files.copy(real, next, StandardCopyOption.COPY_ATTRIBUTES, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel channel =
                FileChannel.open(next, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
            channel.force(true);
        }
        Files.move(next, real, StandardCopyOption.ATOMIC_MOVE);
    }
}

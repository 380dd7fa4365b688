// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.core.lookup.StrSubstitutor;
import org.apache.logging.log4j.core.pattern.ArrayPatternConverter;
import org.apache.logging.log4j.core.pattern.DatePatternConverter;
import org.apache.logging.log4j.core.pattern.FormattingInfo;
import org.apache.logging.log4j.core.pattern.IntegerPatternConverter;
import org.apache.logging.log4j.core.pattern.PatternConverter;
import org.apache.logging.log4j.core.pattern.PatternParser;

/**
 * The names that a file pattern makes, over all dates and indexes. A name must have the pattern's fixed text, dates in
 * the form that the pattern asks for, and numbers where it has an index. So another program's file is not taken for an
 * archive because its name begins alike.
 */
final class ArchivePattern {

    /** The most digits that a sequence has. */
    private static final int SEQUENCE_DIGITS = 19;

    /** A lookup, which may have another one as its default; its group is the format if it is one of a date. */
    private static final Pattern LOOKUP =
            Pattern.compile("\\$\\{(?:date:([^{}]*?)(?::-[^{}]*)?|(?:[^{}]|\\{[^{}]*})*)}", Pattern.CASE_INSENSITIVE);

    /** A name may also end with the number that a taken name gets, and with the suffix of a compression. */
    private static final String ENDS = "(?:\\.\\d+)?(?<suffix>\\.(?:gz|zip|bz2|xz|zst|deflate|pack200))?";

    private final String suffix;
    private final Path folder;
    private final int depth;
    private final Pattern names;

    /**
     * Dates of lookups vary as those of the pattern do. Any other lookup has the text that Log4j would put into a name
     * now, so that a log whose names have another text in its place keeps its files.
     */
    ArchivePattern(final String pattern, final StrSubstitutor lookups) {
        this(FileNames.compressedSuffix(pattern), textOf(FileNames.withoutSuffix(pattern), lookups));
    }

    /** @param plain has no lookup that is asked, and no suffix of a compression */
    private ArchivePattern(final String suffix, final String plain) {
        this.suffix = suffix;
        final String absolute = FileNames.absolute(plain);
        int variable = absolute.length();
        for (final String mark : List.of("%", "${")) {
            if (absolute.contains(mark)) {
                variable = Math.min(variable, absolute.indexOf(mark));
            }
        }
        final int end = absolute.lastIndexOf(File.separatorChar, variable - 1);
        folder = Path.of(absolute.substring(0, Math.max(end, 1)));
        final String rest = absolute.substring(end + 1);
        final StringBuilder regex = new StringBuilder();
        depth = 1 + append(regex, rest);
        names = Pattern.compile(regex + ENDS);
    }

    /** Returns the folder that holds all of them: the one before the first part that varies. */
    static Path folderOf(final String pattern) {
        return new ArchivePattern("", FileNames.withoutSuffix(pattern)).folder;
    }

    private static String textOf(final String pattern, final StrSubstitutor lookups) {
        final LogEvent now = Log4jLogEvent.newBuilder()
                .setTimeMillis(System.currentTimeMillis())
                .build();
        // A name has the text as it is: a percent sign in it begins no date and no index.
        return withLookups(pattern, lookup -> lookups.replace(now, lookup).replace("%", "%%"));
    }

    /** Gives each lookup its text, but for those of dates. */
    private static String withLookups(final String pattern, final UnaryOperator<String> text) {
        return LOOKUP.matcher(pattern)
                .replaceAll(lookup -> Matcher.quoteReplacement(
                        lookup.group(1) != null ? lookup.group() : text.apply(lookup.group())));
    }

    /** The suffix of a compression that the pattern asks for; empty if it asks for none. */
    String suffix() {
        return suffix;
    }

    /** Returns how many folders the names go down. */
    private static int append(final StringBuilder regex, final String pattern) {
        final List<PatternConverter> converters = new ArrayList<>();
        final List<FormattingInfo> paddings = new ArrayList<>();
        new PatternParser(null, "FileConverter", null).parse(pattern, converters, paddings, false, false, false);
        int folders = 0;
        for (final PatternConverter converter : converters) {
            if (converter instanceof DatePatternConverter date) {
                folders += date.getPattern() == null ? 0 : count(date.getPattern());
                regex.append(DateForm.regexOf(date));
            } else if (converter instanceof IntegerPatternConverter) {
                regex.append(" *\\d+");
            } else {
                final StringBuilder literal = new StringBuilder();
                ((ArrayPatternConverter) converter).format(literal, new Object[0]);
                appendLiteral(regex, literal);
                folders += count(literal);
            }
        }
        return folders;
    }

    private static int count(final CharSequence text) {
        return (int) text.chars().filter(letter -> letter == File.separatorChar).count();
    }

    private static void appendLiteral(final StringBuilder regex, final CharSequence literal) {
        final Matcher lookup = LOOKUP.matcher(literal);
        int from = 0;
        while (lookup.find()) {
            if (lookup.group(1) != null) {
                regex.append(Pattern.quote(
                                literal.subSequence(from, lookup.start()).toString()))
                        .append(DateForm.regexOfLookup(lookup.group(1)));
                from = lookup.end();
            }
        }
        regex.append(Pattern.quote(literal.subSequence(from, literal.length()).toString()));
    }

    /** Whether the file's name is one that the pattern gives to a file that ended. */
    boolean matches(final Path file) {
        final Path absolute = file.toAbsolutePath();
        return absolute.startsWith(folder)
                && names.matcher(folder.relativize(absolute).toString()).matches();
    }

    /**
     * Whether the pattern can make a name that the engine gives to a diverted log file. A lookup's text, unless it is a
     * date, is taken for one that no such name has.
     */
    static boolean canMakeDivertedName(final String pattern, final String file) {
        final String plain = withLookups(FileNames.withoutSuffix(pattern), lookup -> "-");
        final String begin = FileNames.absolute(file) + ".burst-";
        final ArchivePattern names = new ArchivePattern("", plain);
        for (int digits = 1; digits <= SEQUENCE_DIGITS; digits++) {
            if (names.matches(Path.of(begin + "1".repeat(digits)))) {
                return true;
            }
        }
        // The pattern's fixed text may have digits.
        return FileNames.absolute(plain).matches(Pattern.quote(begin) + "\\d+(?:\\.\\d+)?");
    }

    boolean isCompressed(final Path file) {
        return !FileNames.compressedSuffix(file.toString()).isEmpty();
    }

    /** Whether the file is the unfinished compressed twin of a file that ended. */
    boolean isTemporary(final Path file) {
        final String name = file.getFileName().toString();
        return name.startsWith(".")
                && name.endsWith(CompressAction.TEMPORARY_SUFFIX)
                && matches(file.resolveSibling(
                        name.substring(1, name.length() - CompressAction.TEMPORARY_SUFFIX.length())));
    }

    /** Finds all regular files that the pattern could have named, and unfinished twins. */
    List<Path> find() throws IOException {
        final List<Path> found = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            Files.walkFileTree(
                    folder, EnumSet.noneOf(java.nio.file.FileVisitOption.class), depth, new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes) {
                            if (attributes.isRegularFile() && (matches(file) || isTemporary(file))) {
                                found.add(file);
                            }
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFileFailed(final Path file, final IOException unreadable) {
                            return FileVisitResult.CONTINUE;
                        }
                    });
        }
        return found;
    }
}

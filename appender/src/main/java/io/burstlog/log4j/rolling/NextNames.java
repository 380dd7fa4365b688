// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Makes the names that roll records carry, for rolls that no strategy is asked about (as in {@code burstlog recover}).
 * The index is above those of all files that ended before. No logging thread lists a folder for it.
 */
final class NextNames {

    /** Stands for any index. */
    private static final int MARK = 1_987_654_321;

    private final RollingSettings settings;
    private volatile Highest highest = new Highest("", 0);
    private Last last = new Last("", 0);

    /** The name and the index of the last roll. */
    record Last(String name, int index) {}

    /**
     * The highest index that was found.
     *
     * @param names the name with a mark for its index: another hour has another name
     * @param index the highest that exists
     */
    private record Highest(String names, int index) {}

    NextNames(final RollingSettings settings) {
        this.settings = settings;
    }

    /** Looks at the files that are there. The thread that has performed a roll calls it. */
    void look(final RollNote note) {
        final String names = name(new RollPatternProcessor(settings.filePattern(), note), MARK);
        final Path path = Path.of(names);
        final String name = path.getFileName().toString();
        final int at = name.indexOf(String.valueOf(MARK));
        if (at < 0 || !Files.isDirectory(path.getParent())) {
            return;
        }
        final String end = name.substring(at + String.valueOf(MARK).length());
        int index = 0;
        try (DirectoryStream<Path> siblings = Files.newDirectoryStream(path.getParent())) {
            for (final Path sibling : siblings) {
                index = Math.max(index, indexOf(sibling.getFileName().toString(), name.substring(0, at), end));
            }
        } catch (final IOException | DirectoryIteratorException unreadable) {
            return;
        }
        highest = new Highest(names, index);
    }

    private static int indexOf(final String name, final String begin, final String end) {
        int last = begin.length();
        while (last < name.length() && Character.isDigit(name.charAt(last))) {
            last++;
        }
        final boolean isOne = name.startsWith(begin)
                && last > begin.length()
                && last - begin.length() < 10
                && name.startsWith(end, last);
        return isOne ? Integer.parseInt(name.substring(begin.length(), last)) : 0;
    }

    /**
     * Returns the name for a roll. If the pattern has no index, a taken name gets a number behind it. Not thread-safe.
     *
     * @param othersWait whether rolls before it have their names only in the ring
     */
    String next(final RollPatternProcessor processor, final boolean othersWait) {
        final Highest found = highest;
        int index = found.names().equals(name(processor, MARK)) ? found.index() : 0;
        if (othersWait && name(processor, last.index()).equals(last.name())) {
            index = Math.max(index, last.index());
        }
        index++;
        if (name(processor, index).equals(name(processor, index + 1))) {
            return FileNames.free(name(processor, index));
        }
        while (FileNames.isTaken(Path.of(name(processor, index)))) {
            index++;
        }
        last = new Last(name(processor, index), index);
        return last.name();
    }

    Last last() {
        return last;
    }

    /** Forgets the names that were given since. Not thread-safe. */
    void goBackTo(final Last before) {
        last = before;
    }

    private String name(final RollPatternProcessor processor, final int index) {
        return FileNames.absolute(processor.plainName(settings.substitutor(), settings.isDirectWrite(), index));
    }
}

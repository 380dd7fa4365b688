// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * Deletes files that ended, the oldest first, until all of them together have no more bytes than {@code maxTotalSize}
 * and none is older than {@code maxAge}: over all dates and indexes, and never the file that is written.
 */
final class Retention {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private final RollingSettings settings;
    private final RollingStream stream;
    private final Lock names;
    private final Clock clock;
    private boolean isFailing;

    /** One file that ended. */
    private record Archive(Path file, long bytes, FileTime modified) {}

    Retention(final RollingSettings settings, final RollingStream stream, final Lock names, final Clock clock) {
        this.settings = settings;
        this.stream = stream;
        this.names = names;
        this.clock = clock;
    }

    boolean isLimited() {
        return settings.archives().areLimited();
    }

    /** Called in the thread of the jobs only. */
    void keep() {
        if (!isLimited()) {
            return;
        }
        names.lock();
        try {
            keep(archives());
            isFailing = false;
        } catch (final IOException failure) {
            if (!isFailing) {
                isFailing = true;
                LOGGER.warn(
                        "Burst '{}': old log files could not be deleted: {}. This is tried again after the next roll.",
                        settings.appender(),
                        failure.toString());
            }
        } finally {
            names.unlock();
        }
    }

    private List<Archive> archives() throws IOException {
        final Path current = Path.of(stream.currentFile());
        final List<Archive> archives = new ArrayList<>();
        final ArchivePattern pattern = new ArchivePattern(settings.filePattern(), settings.substitutor());
        for (final Path file : pattern.find()) {
            if (!file.equals(current) && !pattern.isTemporary(file)) {
                archives.add(new Archive(file, Files.size(file), Files.getLastModifiedTime(file)));
            }
        }
        archives.sort(Comparator.comparing(Archive::modified).thenComparing(Archive::file));
        return archives;
    }

    private void keep(final List<Archive> oldestFirst) throws IOException {
        final RollingSettings.Archives limits = settings.archives();
        long total = oldestFirst.stream().mapToLong(Archive::bytes).sum();
        IOException first = null;
        final Instant oldest =
                limits.maxAge().isZero() ? Instant.MIN : clock.instant().minus(limits.maxAge());
        for (final Archive archive : oldestFirst) {
            final boolean isTooOld = archive.modified().toInstant().isBefore(oldest);
            final boolean isTooMuch = limits.maxTotalBytes() > 0 && total > limits.maxTotalBytes();
            if (!isTooOld && !isTooMuch) {
                break;
            }
            try {
                Files.deleteIfExists(archive.file());
                total -= archive.bytes();
                LOGGER.info(
                        "Burst '{}': {} is deleted because of {}.",
                        settings.appender(),
                        archive.file(),
                        isTooOld ? "maxAge" : "maxTotalSize");
            } catch (final IOException failure) {
                // Younger files are deleted in its place, so that the disk does not fill.
                first = first == null ? failure : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.DirectWriteRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.PatternProcessor;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.action.AbstractAction;
import org.apache.logging.log4j.core.appender.rolling.action.Action;
import org.apache.logging.log4j.status.StatusLogger;

/** Finishes at the start the work of an earlier process: it deletes unfinished twins, and has files compressed. */
final class Leftovers {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private final RollingSettings settings;
    private final RollingStream stream;
    private final ArchiveActions actions;
    private final StreamJobs jobs;

    Leftovers(
            final RollingSettings settings,
            final RollingStream stream,
            final ArchiveActions actions,
            final StreamJobs jobs) {
        this.settings = settings;
        this.stream = stream;
        this.actions = actions;
        this.jobs = jobs;
    }

    /**
     * Deletes unfinished twins. Call it while no job is under way, since jobs make such twins. If a crash has left a
     * file plain and compressed, one of the two is deleted before a strategy gives them different names: the stream's
     * first jobs compare them, before its next roll.
     */
    void deleteBeginnings() {
        final ArchivePattern pattern = new ArchivePattern(settings.filePattern(), settings.substitutor());
        if (pattern.suffix().isEmpty()) {
            return;
        }
        try {
            deleteTemporary();
            final Path current = Path.of(stream.currentFile());
            for (final Path file : pattern.find()) {
                if (pattern.isTemporary(file)) {
                    Files.deleteIfExists(file);
                } else if (!pattern.isCompressed(file) && !file.equals(current)) {
                    finish(actions.compress(file, pattern.suffix()));
                }
            }
        } catch (final IOException | RuntimeException unreadable) {
            warn(unreadable);
        }
    }

    private void finish(final CompressAction compression) {
        if (!compression.hasTwin()) {
            return;
        }
        final Action finish = new AbstractAction() {
            @Override
            public boolean execute() {
                try {
                    compression.finish();
                } catch (final IOException | RuntimeException unreadable) {
                    warn(unreadable);
                }
                return true;
            }
        };
        jobs.add(finish, Duration.ZERO);
    }

    private void warn(final Exception unreadable) {
        LOGGER.warn(
                "Burst '{}': what a compression before this start had begun is not removed: {}.",
                settings.appender(),
                unreadable.toString());
    }

    /** Queues the files to compress, but not those that a job has taken meanwhile. */
    void compress() {
        final ArchivePattern pattern = new ArchivePattern(settings.filePattern(), settings.substitutor());
        if (pattern.suffix().isEmpty()) {
            return;
        }
        try {
            final Path current = Path.of(stream.currentFile());
            for (final Path file : pattern.find()) {
                if (!pattern.isTemporary(file) && !pattern.isCompressed(file) && !file.equals(current)) {
                    compress(file, pattern.suffix());
                }
            }
        } catch (final IOException | RuntimeException unreadable) {
            LOGGER.warn(
                    "Burst '{}': files that ended before this start are not compressed: {}.",
                    settings.appender(),
                    unreadable.toString());
        }
    }

    private void compress(final Path file, final String suffix) throws IOException {
        try {
            if (Files.size(file) > 0 && !jobs.compresses(file)) {
                jobs.add(actions.compress(file, suffix), delayOf(file));
            }
        } catch (final NoSuchFileException gone) {
            LOGGER.debug("Burst '{}': {} was compressed or deleted meanwhile", settings.appender(), file);
        }
    }

    private Duration delayOf(final Path file) throws IOException {
        final Duration delay = settings.archives().compressDelay();
        final Duration age = Duration.between(
                Files.getLastModifiedTime(file).toInstant(), Clock.systemUTC().instant());
        final Duration left = delay.minus(age);
        return left.isNegative() ? Duration.ZERO : left.compareTo(delay) > 0 ? delay : left;
    }

    private void deleteTemporary() throws IOException {
        final PatternProcessor temporary = temporaryOf(settings.strategy());
        if (temporary == null) {
            return;
        }
        final ArchivePattern pattern = new ArchivePattern(temporary.getPattern(), settings.substitutor());
        final ArchivePattern archives = new ArchivePattern(settings.filePattern(), settings.substitutor());
        for (final Path file : pattern.find()) {
            if (!archives.matches(file)) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static PatternProcessor temporaryOf(final RolloverStrategy strategy) {
        if (strategy instanceof DefaultRolloverStrategy known) {
            return known.getTempCompressedFilePattern();
        }
        return strategy instanceof DirectWriteRolloverStrategy known ? known.getTempCompressedFilePattern() : null;
    }
}

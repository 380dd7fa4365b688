// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import io.burstlog.RollRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.logging.log4j.core.appender.rolling.RolloverDescription;
import org.apache.logging.log4j.core.appender.rolling.action.Action;
import org.apache.logging.log4j.core.appender.rolling.action.FileRenameAction;

/**
 * Lets the strategy of a stream name a file that ended. Its thread and those of {@link ArchiveJobs} exclude each other
 * while they give names or delete, since a strategy may shift the names of all files. Before it runs, the work of
 * earlier rolls is done, up to the first compression.
 */
final class StrategyRun {

    private final Lock names = new ReentrantLock();
    private final NameWarning warning;
    private volatile RollingSettings settings;
    private volatile BurstRollingFileManager manager;
    private volatile StreamJobs jobs;

    /**
     * How a file ended.
     *
     * @param file its name before
     * @param identity finds the file under its new name; null: it was empty and has no new name
     * @param target the name to which the drain is to rename it; null: it has its name already
     * @param nextFile the file that begins; null: the same name as before
     * @param planned the name that the strategy believes it has
     * @param afterwards the actions that the strategy wants; null: none
     */
    record Ended(Path file, FileIdentity identity, String target, String nextFile, String planned, Action afterwards) {}

    StrategyRun(final RollingSettings settings) {
        this.settings = settings;
        this.warning = new NameWarning(settings.appender());
    }

    /** To be called before anything else. */
    void begin(final BurstRollingFileManager of, final StreamJobs with) {
        manager = of;
        jobs = with;
    }

    StreamJobs jobsFor(final RollingSettings of, final RollingStream stream) {
        return new StreamJobs(
                of.appender(),
                actions(of, stream),
                of.archives().compressDelay(),
                new Retention(of, stream, names, Clock.systemUTC()));
    }

    private ArchiveActions actions(final RollingSettings of, final RollingStream stream) {
        return new ArchiveActions(names, warning, of.strategy(), stream::currentFile);
    }

    /** Takes another configuration, also for rolls that already wait. */
    void update(final RollingSettings other, final RollingStream stream) {
        settings = other;
        jobs.update(
                actions(other, stream),
                other.archives().compressDelay(),
                new Retention(other, stream, names, Clock.systemUTC()));
    }

    /**
     * Removes unfinished twins of an earlier process. Call it before any job of the stream; no roll is performed before
     * it is done.
     */
    void deleteBeginnings(final RollingStream stream, final StreamJobs with) {
        new Leftovers(settings, stream, actions(settings, stream), with).deleteBeginnings();
    }

    /** Queues the work that an earlier process, or an earlier configuration, has left. */
    void finishLeftovers(final RollingStream stream, final StreamJobs with) {
        new Leftovers(settings, stream, actions(settings, stream), with).compress();
        with.addRetention();
    }

    /** @throws IOException why the file goes on */
    Ended run(final RollRequest request, final RollNote note) throws IOException {
        lockNames();
        try {
            // A reconfiguration may replace the settings meanwhile.
            final RollingSettings now = settings;
            final RollView view = new RollView(now, manager, request, note);
            final RolloverDescription description = now.strategy().rollover(view);
            if (description == null) {
                throw new IOException("the strategy gives no name; see what it has said");
            }
            return now.isDirectWrite() ? endedUnderItsName(request, view, description) : ended(request, description);
        } finally {
            names.unlock();
        }
    }

    /** An action that hangs must not hold up the drain for ever. */
    private void lockNames() throws IOException {
        final long deadline = System.nanoTime() + jobs.patience().toNanos();
        try {
            if (jobs.awaitActions(jobs.patience())
                    && names.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (final InterruptedException stillToBeSeen) {
            Thread.currentThread().interrupt();
        }
        throw new IOException(jobs.tooLate());
    }

    private Ended endedUnderItsName(
            final RollRequest request, final RollView view, final RolloverDescription description) throws IOException {
        final Path file = Path.of(request.file());
        final String next = warning.free(FileNames.absolute(view.directName()));
        return new Ended(
                file,
                FileIdentity.of(file),
                null,
                next,
                description.getActiveFileName(),
                description.getAsynchronous());
    }

    private Ended ended(final RollRequest request, final RolloverDescription description) throws IOException {
        final Path file = Path.of(request.file());
        FileIdentity identity = FileIdentity.of(file);
        final Action first = description.getSynchronous();
        String target = null;
        String planned = request.file();
        if (first instanceof FileRenameAction rename) {
            planned = rename.getDestination().getPath();
            if (rename.isRenameEmptyFiles() || request.fileBytes() > 0) {
                target = warning.free(FileNames.absolute(planned));
            } else {
                identity = null;
            }
        } else if (first == null) {
            // The pattern names the log file itself.
            target = warning.free(request.file());
        } else if (first.execute()) {
            Durable.sync(file.toAbsolutePath().getParent());
        } else {
            throw new IOException(first + " has failed");
        }
        return new Ended(file, identity, target, null, planned, description.getAsynchronous());
    }

    /** Called when the drain has noted the roll. */
    void afterwards(final Ended ended) {
        if (settings.isDirectWrite() && ended.identity().bytes() == 0) {
            deleteEmpty(ended);
            return;
        }
        jobs.add(ended.afterwards(), ended.planned(), archiveOf(ended));
    }

    private static Path archiveOf(final Ended ended) {
        if (ended.identity() == null) {
            return null;
        }
        return ended.identity().find(ended.target() != null ? Path.of(ended.target()) : ended.file());
    }

    /** Deletes an empty file: Log4j would begin it with its first event. */
    private void deleteEmpty(final Ended ended) {
        try {
            if (Files.size(ended.file()) == 0 && !ended.file().toString().equals(ended.nextFile())) {
                Files.delete(ended.file());
            }
        } catch (final IOException isLeft) {
            // It stays: an empty file is in nobody's way.
        }
    }
}

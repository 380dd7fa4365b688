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
 * where they give names, and where they delete: a strategy may shift the names of all files. It finds done what the
 * rolls before it have left to do, up to the first compression.
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
     * @param identity which file it is, so that it is found under its new name; null: it was empty and has no new name
     * @param target what the drain is to rename it to; null: it has its name
     * @param nextFile the file that begins; null: that of before
     * @param planned what the strategy takes for its name
     * @param afterwards what the strategy wants to be done; null: nothing
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

    /** Takes what another configuration says, for the rolls that wait, too. */
    void update(final RollingSettings other, final RollingStream stream) {
        settings = other;
        jobs.update(
                actions(other, stream),
                other.archives().compressDelay(),
                new Retention(other, stream, names, Clock.systemUTC()));
    }

    /**
     * Removes what a compression of a process before this one had begun; to be called before any job of the stream. No
     * roll comes before that is done.
     */
    void deleteBeginnings(final RollingStream stream, final StreamJobs with) {
        new Leftovers(settings, stream, actions(settings, stream), with).deleteBeginnings();
    }

    /** Queues what a process before this one has left to do, or jobs of a configuration before this one. */
    void finishLeftovers(final RollingStream stream, final StreamJobs with) {
        new Leftovers(settings, stream, actions(settings, stream), with).compress();
        with.addRetention();
    }

    /** @throws IOException why the file goes on */
    Ended run(final RollRequest request, final RollNote note) throws IOException {
        lockNames();
        try {
            // Another configuration may come meanwhile.
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

    /** When the roll is noted. */
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

    /** Log4j would have begun it with its first event. */
    private void deleteEmpty(final Ended ended) {
        try {
            if (Files.size(ended.file()) == 0 && !ended.file().toString().equals(ended.nextFile())) {
                Files.delete(ended.file());
            }
        } catch (final IOException isLeft) {
            // An empty file is in nobody's way.
        }
    }
}

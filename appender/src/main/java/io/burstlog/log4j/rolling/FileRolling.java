// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import io.burstlog.StreamStats;
import java.time.Duration;
import java.util.zip.Deflater;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;

/**
 * The rolling of one log file, from the open of its stream to the close: the manager decides when, and {@link RollWork}
 * is what follows. Safe for use by any thread.
 */
public final class FileRolling {

    /**
     * The longest wait for rolls that a crash has left in the ring. If they take longer, size and age count from the
     * file of that moment.
     */
    private static final Duration PATIENCE_AT_START = Duration.ofSeconds(5);

    private final RollingStream stream;
    private final BurstRollingFileManager manager;
    private final RollWork work;
    private volatile RollingSettings settings;

    private FileRolling(
            final RollingSettings settings,
            final RollingStream stream,
            final BurstRollingFileManager manager,
            final RollWork work) {
        this.settings = settings;
        this.stream = stream;
        this.manager = manager;
        this.work = work;
    }

    /** {@return the file to open a stream with} */
    public static String firstFile(final RollingSettings settings) {
        return settings.isDirectWrite() ? RollView.firstFile(settings) : settings.fileName();
    }

    /** {@return the folder under which all files of a pattern are} */
    public static String folderOf(final String filePattern) {
        return ArchivePattern.folderOf(filePattern).toString();
    }

    /** {@return whether a file that ended may get a name that the engine gives to a log file which cannot go on} */
    public static boolean canMakeDivertedName(final String filePattern, final String fileName) {
        return ArchivePattern.canMakeDivertedName(filePattern, fileName);
    }

    /** {@return whether the calling thread answers rolls: a log call of it must neither wait for space nor roll} */
    public static boolean isAnswering() {
        return Roller.isCurrent();
    }

    /** {@return why the pattern's compression cannot be done; null if it can} */
    public static String missingCompressor(final String filePattern) {
        final Compressor compressor =
                Compressor.ofSuffix(FileNames.compressedSuffix(filePattern), Deflater.DEFAULT_COMPRESSION);
        return compressor == null ? null : compressor.reasonItIsMissing();
    }

    /** {@return the first bytes of the first file, if that is new or empty} */
    public static byte[] firstHeader(final RollingSettings settings, final RollingStream stream) {
        return RollContent.header(
                settings, stream, Math.max(1, stream.stats().fileNumber()), 1, System.currentTimeMillis());
    }

    /**
     * Begins to roll a stream that is open and that this process drains, after the rolls that are in the ring already.
     * No policy is asked before {@link #begin}.
     */
    public static FileRolling of(final RollingSettings settings, final RollingStream stream) {
        final BurstRollingFileManager manager = new BurstRollingFileManager(settings, stream, stream.stats());
        return new FileRolling(settings, stream, manager, new RollsHere(settings, stream, manager));
    }

    /**
     * Begins to roll a stream whose drain is another process. It was opened with {@link WithoutJvm#rules}, and the
     * settings have no {@link WithoutJvm#refusals}.
     */
    public static FileRolling elsewhere(final RollingSettings settings, final RollingStream stream) {
        final BurstRollingFileManager manager = new BurstRollingFileManager(settings, stream, stream.stats());
        return new FileRolling(settings, stream, manager, new RollsElsewhere(settings, stream, manager));
    }

    /**
     * Lets the policy begin, once size and age of the file are known. It may roll at once. If this throws, as a policy
     * may, nothing of the rolling goes on.
     *
     * @param isNew whether nothing but a header is in the file
     */
    public void begin(final boolean isNew) {
        try {
            stream.awaitDrained(PATIENCE_AT_START);
            final StreamStats stats = stream.stats();
            manager.continues(stats, isNew ? 0 : stats.fileBytes());
            work.begin();
            manager.initialize();
        } catch (final RuntimeException | Error failure) {
            stopPolicy(Duration.ZERO);
            end(Duration.ZERO);
            throw failure;
        }
    }

    /**
     * Takes another configuration. The file that is written goes on, and its size and age count. If this throws, as a
     * policy may that begins, nothing changes.
     *
     * @param patience how long to wait for a roll that waits for the ring
     * @throws io.burstlog.BurstException if the drain cannot perform rolls as it says, or if that roll still waits
     */
    public void update(final RollingSettings wanted, final Duration patience) {
        manager.update(wanted, () -> work.update(wanted), () -> work.update(settings), patience);
        settings = wanted;
        work.updated();
    }

    /** To be called before each event; see {@link BurstRollingFileManager#beforeEvent}. */
    public void beforeEvent(final LogEvent event, final boolean mayWait) {
        manager.beforeEvent(event, mayWait);
    }

    /** To be called with the bytes of each event that was accepted. */
    public void accepted(final int bytes) {
        manager.accepted(bytes);
    }

    /** {@return the manager that policies, listeners and other plugins see} */
    public RollingFileManager manager() {
        return manager;
    }

    /** For tests. */
    StreamJobs jobs() {
        return ((RollsHere) work).jobs();
    }

    /** No roll begins any more. Those in the ring are still performed until {@link #end}. */
    public void stopPolicy(final Duration timeout) {
        manager.end(timeout);
    }

    /**
     * To be called when the stream is closed.
     *
     * @return whether the jobs that were due are done
     */
    public boolean end(final Duration timeout) {
        return work.end(timeout);
    }
}

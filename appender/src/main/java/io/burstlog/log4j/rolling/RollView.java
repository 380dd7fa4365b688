// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import io.burstlog.RollRequest;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.core.appender.rolling.DirectFileRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.FileExtension;
import org.apache.logging.log4j.core.appender.rolling.PatternProcessor;
import org.apache.logging.log4j.core.appender.rolling.RolloverListener;
import org.apache.logging.log4j.core.lookup.StrSubstitutor;

/** The manager as the strategy sees it while it performs one roll: file, size and times are those of the roll. */
final class RollView extends ManagerWithoutFile {

    private final BurstRollingFileManager manager;
    private final RollRequest request;
    private final RollPatternProcessor processor;
    private final StrSubstitutor substitutor;

    /** @param manager null when the strategy is to name the first file of a stream that is not open yet */
    RollView(
            final RollingSettings settings,
            final BurstRollingFileManager manager,
            final RollRequest request,
            final RollNote note) {
        super(settings, note.previousMillis());
        this.manager = manager;
        this.request = request;
        this.substitutor = settings.substitutor();
        this.processor = new RollPatternProcessor(settings.filePattern(), note);
        setRenameEmptyFiles(note.renamesEmpty());
    }

    /** {@return the file that a strategy which writes directly begins with, in a stream that is not open yet} */
    static String firstFile(final RollingSettings settings) {
        final RollRequest none = new RollRequest(0, 0, 0, 0, 0, settings.filePattern(), "", "", new byte[0]);
        final RollView view = new RollView(settings, null, none, new RollNote(0, 0, 0, false));
        return FileNames.absolute(view.directName());
    }

    /** Returns the strategy's name for the file that begins. */
    String directName() {
        return ((DirectFileRolloverStrategy) getRolloverStrategy()).getCurrentFileName(this);
    }

    /**
     * Returns the file in the folder as the pattern writes it: a strategy compares paths to tell this file from
     * archives.
     */
    @Override
    public String getFileName() {
        final File file = new File(request.file());
        final File folder = new File(processor.plainName(substitutor, false, 0)).getParentFile();
        final File asNamed = new File(folder == null ? new File(".") : folder, file.getName());
        try {
            return Files.isSameFile(asNamed.toPath(), file.toPath()) ? asNamed.getPath() : request.file();
        } catch (final IOException notThere) {
            return request.file();
        }
    }

    @Override
    public long getFileSize() {
        return request.fileBytes();
    }

    @Override
    public long getFileTime() {
        return TimeUnit.NANOSECONDS.toMillis(request.fileBornNanos());
    }

    @Override
    public PatternProcessor getPatternProcessor() {
        // The constructor of the class above asks for it, too.
        return processor == null ? super.getPatternProcessor() : processor;
    }

    @Override
    public FileExtension getFileExtension() {
        return getPatternProcessor().getFileExtension();
    }

    @Override
    public void rollover() {
        // The roll is under way already.
    }

    @Override
    public void rollover(final Date previousFileTime, final Date previousRollTime) {
        // As above.
    }

    @Override
    public void addRolloverListener(final RolloverListener listener) {
        manager.addRolloverListener(listener);
    }

    @Override
    public void removeRolloverListener(final RolloverListener listener) {
        manager.removeRolloverListener(listener);
    }
}

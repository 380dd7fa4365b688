// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.appender.rolling.action.AbstractAction;
import org.apache.logging.log4j.core.appender.rolling.action.DeleteAction;
import org.apache.logging.log4j.core.appender.rolling.action.DeletingVisitor;
import org.apache.logging.log4j.core.appender.rolling.action.PathCondition;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * A {@code Delete} that passes over a diverted log's file. The author of its conditions did not know of that file, and
 * {@code app.log.*} fits it. While the log is not diverted nothing changes.
 */
final class DeletionBesideLog extends AbstractAction {

    private static final Logger LOGGER = StatusLogger.getLogger();
    private static final Pattern DIVERTED = Pattern.compile("(.+\\.burst-)(\\d+)(?:\\.\\d+)?");

    private final DeleteAction deletion;
    private final Supplier<String> currentFile;

    DeletionBesideLog(final DeleteAction deletion, final Supplier<String> currentFile) {
        this.deletion = deletion;
        this.currentFile = currentFile;
    }

    @Override
    public boolean execute() throws IOException {
        final String current = currentFile.get();
        final Matcher name = DIVERTED.matcher(Path.of(current).getFileName().toString());
        if (!name.matches()) {
            return deletion.execute();
        }
        if (deletion.getPathConditions().isEmpty()) {
            LOGGER.warn(
                    "The script of {} deletes nothing now: it does not know that the log goes to {}, as it cannot go on"
                            + " under its own name. Bring the log back, as the warning about that says.",
                    deletion,
                    current);
            return true;
        }
        final List<PathCondition> conditions = new ArrayList<>();
        conditions.add(new IsBefore(name.group(1), new BigInteger(name.group(2))));
        conditions.addAll(deletion.getPathConditions());
        return deletion.execute(new DeletingVisitor(deletion.getBasePath(), conditions, deletion.isTestMode()));
    }

    @Override
    public String toString() {
        return deletion.toString();
    }

    /**
     * Fits the file that is written, and any that the log may go to next: a new one may begin while files are listed.
     *
     * @param beginning the beginning of the names of diverted files
     * @param sequence the sequence in the name of the file that is written
     */
    private record IsBefore(String beginning, BigInteger sequence) implements PathCondition {

        @Override
        public void beforeFileTreeWalk() {}

        @Override
        public boolean accept(final Path base, final Path relative, final BasicFileAttributes attributes) {
            final Matcher name = DIVERTED.matcher(relative.getFileName().toString());
            return !name.matches()
                    || !name.group(1).equals(beginning)
                    || new BigInteger(name.group(2)).compareTo(sequence) < 0;
        }
    }
}

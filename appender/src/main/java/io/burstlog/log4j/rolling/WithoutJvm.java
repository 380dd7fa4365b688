// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import io.burstlog.BurstException;
import io.burstlog.Rolling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.logging.log4j.core.appender.rolling.AbstractRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.DirectWriteRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.PatternProcessor;
import org.apache.logging.log4j.core.appender.rolling.action.Action;
import org.apache.logging.log4j.core.appender.rolling.action.DeleteAction;
import org.apache.logging.log4j.core.appender.rolling.action.PosixViewAttributeAction;

/**
 * Tells whether a process without a JVM, which drains the ring beside the application, can perform the rolls of an
 * element. It renames a file to the name in the roll's record, compresses by the host's zlib and libzstd, and deletes
 * by size and age. It runs no strategy and no action. A policy never matters: the thread that logs asks it.
 */
public final class WithoutJvm {

    private static final String NEEDS = "drain=\"external\" cannot be used with ";

    private static final int LEAST_LEVEL_WITHOUT_COMPRESSION = 0;

    private final RollingSettings settings;
    private final List<String> reasons = new ArrayList<>();

    private WithoutJvm(final RollingSettings settings) {
        this.settings = settings;
    }

    /**
     * Returns a sentence for each part of the settings that only a JVM can perform, with what to use instead. Empty: a
     * process without a JVM can perform all of it. Looks at no file.
     */
    public static List<String> refusals(final RollingSettings settings) {
        final WithoutJvm judge = new WithoutJvm(settings);
        judge.judgeStrategy();
        judge.judgeCompression();
        judge.judgeNames();
        return List.copyOf(judge.reasons);
    }

    private void refuse(final String what, final String why, final String instead) {
        reasons.add(NEEDS + what + ", " + why + ": " + instead);
    }

    private void judgeStrategy() {
        if (settings.strategy() instanceof DefaultRolloverStrategy known) {
            judgeIndexes(known);
            judgeTemporary(known.getTempCompressedFilePattern());
            known.getCustomActions().forEach(this::judgeAction);
        } else if (settings.strategy() instanceof DirectWriteRolloverStrategy known) {
            if (handlesArchives() || known.getMaxFiles() != Integer.MAX_VALUE) {
                refuse(
                        "a DirectWriteRolloverStrategy that compresses or deletes",
                        "since its files have an archive's name while they are written",
                        "use fileName with a DefaultRolloverStrategy, or leave archives as they are");
            }
            judgeTemporary(known.getTempCompressedFilePattern());
            known.getCustomActions().forEach(this::judgeAction);
        } else {
            refuse(
                    "the strategy " + settings.strategy().getClass().getName(),
                    "which only a JVM can run",
                    "use a DefaultRolloverStrategy");
        }
    }

    /** Without an index in the names the strategy renames nothing but the file that ends. */
    private void judgeIndexes(final DefaultRolloverStrategy strategy) {
        final boolean onlyGrows = strategy.getMinIndex() == Integer.MIN_VALUE;
        final boolean hasIndex = AbstractRolloverStrategy.PATTERN_COUNTER
                .matcher(settings.filePattern())
                .matches();
        if (hasIndex && !onlyGrows) {
            refuse(
                    "fileIndex=\"" + (strategy.isUseMax() ? "max" : "min") + "\"",
                    "which keeps " + strategy.getMaxIndex() + " archives by renaming all of them",
                    "set fileIndex=\"nomax\", and maxTotalSize or maxAge to bound the disk");
        }
    }

    private void judgeTemporary(final PatternProcessor temporary) {
        if (temporary != null) {
            refuse(
                    "tempCompressedFilePattern=\"" + temporary.getPattern() + "\"",
                    "since an unfinished file is called .NAME.burst-tmp there",
                    "leave it out");
        }
    }

    private void judgeAction(final Action action) {
        if (action instanceof DeleteAction) {
            refuse("a Delete action", "whose conditions only a JVM can ask", "set maxAge or maxTotalSize");
        } else if (action instanceof PosixViewAttributeAction) {
            refuse(
                    "a PosixViewAttribute action",
                    "which only a JVM can run",
                    "set filePermissions, fileOwner and fileGroup, which archives keep");
        } else {
            refuse(
                    "the action " + action.getClass().getName(),
                    "which only a JVM can run",
                    "let the host do it, by cron or a systemd timer");
        }
    }

    private void judgeCompression() {
        final String suffix = FileNames.compressedSuffix(settings.filePattern());
        if (!suffix.isEmpty() && !Set.of(".gz", ".zst").contains(suffix)) {
            refuse(
                    "filePattern=\"" + settings.filePattern() + "\"",
                    "whose compression only a JVM has",
                    "let it end with .gz or .zst");
        }
        if (suffix.equals(".gz") && level() == LEAST_LEVEL_WITHOUT_COMPRESSION) {
            refuse(
                    "compressionLevel=\"0\"",
                    "which makes an archive that is not compressed",
                    "set 1 to 9, or let filePattern end without .gz");
        }
    }

    private int level() {
        if (settings.strategy() instanceof DefaultRolloverStrategy known) {
            return known.getCompressionLevel();
        }
        return settings.strategy() instanceof DirectWriteRolloverStrategy known ? known.getCompressionLevel() : -1;
    }

    /** Only a process that compresses or deletes archives must find them by their names. */
    private void judgeNames() {
        if (!handlesArchives()) {
            return;
        }
        final String why = EnginePattern.of(settings.filePattern()).reason();
        if (why != null) {
            refuse(
                    "filePattern=\"" + settings.filePattern() + "\"",
                    "by which archives are to be found, as " + why,
                    "use one folder, with %i and dates of yyyy, MM, dd, DDD, HH, mm and ss in the name alone");
        }
    }

    private boolean handlesArchives() {
        return !FileNames.compressedSuffix(settings.filePattern()).isEmpty()
                || settings.archives().areLimited();
    }

    /**
     * Keeps an element from a drain that cannot perform its rolls.
     *
     * @throws BurstException with all {@link #refusals}
     */
    public static void require(final RollingSettings settings) {
        final List<String> refusals = refusals(settings);
        if (!refusals.isEmpty()) {
            throw new BurstException(BurstException.Code.INVALID_ARGUMENT, String.join("; ", refusals) + ".");
        }
    }

    /**
     * Returns what the drain is to do with archives, as the engine says it; null if it leaves them as they are. The
     * settings have no {@link #refusals}. Each date may have indexes of its own, so the newest archive is the one that
     * was written last.
     */
    public static Rolling rules(final RollingSettings settings) {
        final WithoutJvm judge = new WithoutJvm(settings);
        if (!judge.handlesArchives()) {
            return null;
        }
        return Rolling.to(EnginePattern.of(settings.filePattern()).text())
                .compression(judge.compression())
                .keepBytes(settings.archives().maxTotalBytes())
                .keep(settings.archives().maxAge())
                .newestByTime(true);
    }

    private Rolling.Compression compression() {
        final Duration delay = settings.archives().compressDelay();
        return switch (FileNames.compressedSuffix(settings.filePattern())) {
            case ".gz" -> new Rolling.Compression(Rolling.Format.GZIP, Math.max(0, level()), delay);
            case ".zst" -> new Rolling.Compression(Rolling.Format.ZSTD, 0, delay);
            default -> Rolling.Compression.NONE;
        };
    }
}

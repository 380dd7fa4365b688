// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.doors.Settings;
import io.burstlog.log4j.rolling.FileRolling;
import io.burstlog.log4j.rolling.RollingSettings;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.appender.rolling.AbstractRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.CompositeTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.DirectFileRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.DirectWriteRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.OnStartupTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.PatternProcessor;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TimeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.DefaultConfiguration;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * Reads the settings of rolling of an element. A value that cannot be used becomes a complaint of the reader. Not
 * thread-safe.
 */
final class RollingReading {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private static final Duration DEFAULT_COMPRESS_DELAY = Duration.ofSeconds(5);

    private static final List<String> OWN_ATTRIBUTES = List.of("compressDelay", "maxTotalSize", "maxAge", "fileStamp");

    private final Settings reader;
    private final String fileName;
    private final String filePattern;
    private final TriggeringPolicy policy;
    private final RolloverStrategy strategy;

    RollingReading(final Settings reader, final TriggeringPolicy policy, final RolloverStrategy strategy) {
        this.reader = reader;
        this.fileName = reader.text("fileName");
        this.filePattern = reader.text("filePattern");
        this.policy = policy;
        this.strategy = strategy;
    }

    boolean isWanted() {
        return filePattern != null || policy != null || strategy != null;
    }

    /** Returns the log file, or the pattern of all files if the strategy names each file. */
    String file() {
        if (fileName == null && filePattern != null && (strategy == null || isDirectWrite())) {
            return filePattern;
        }
        return reader.requiredPath("fileName", "the log file");
    }

    /** Returns the folder of a ring that no element names; null stands for the folder of the log file. */
    String folder() {
        return fileName == null && filePattern != null ? FileRolling.folderOf(filePattern) : null;
    }

    private boolean isDirectWrite() {
        return strategy instanceof DirectFileRolloverStrategy;
    }

    /** Returns null if the element asks for no rolling, or if something is wrong. */
    RollingSettings settings(
            final String appender, final Layout<? extends Serializable> layout, final Configuration configuration) {
        final Duration delay = reader.timeOrZero("compressDelay");
        final Long maxTotalBytes = reader.size("maxTotalSize");
        final Duration maxAge = reader.time("maxAge");
        final Boolean fileStamp = reader.flag("fileStamp");
        if (!isWanted()) {
            OWN_ATTRIBUTES.stream()
                    .filter(reader::has)
                    .forEach(name -> reader.complain(
                            name + " has no effect without filePattern: add filePattern and a policy, or remove it"));
            return null;
        }
        final Boolean createOnDemand = reader.flag("createOnDemand");
        if (!isUsable()) {
            return null;
        }
        return new RollingSettings(
                appender,
                fileName,
                filePattern,
                policy,
                strategy != null ? strategy : defaultStrategy(configuration),
                layout,
                configuration,
                new RollingSettings.FileAttributes(
                        reader.text("filePermissions"), reader.text("fileOwner"), reader.text("fileGroup")),
                new RollingSettings.Archives(
                        delay != null ? delay : DEFAULT_COMPRESS_DELAY,
                        maxTotalBytes != null ? maxTotalBytes : 0,
                        maxAge != null ? maxAge : Duration.ZERO),
                createOnDemand != null && createOnDemand,
                fileStamp != null && fileStamp,
                reader.text("advertiseUri"));
    }

    private boolean isUsable() {
        if (filePattern == null) {
            reader.complain("the attribute filePattern is missing: set it to the names of files that ended, such as"
                    + " \"logs/app-%d{yyyy-MM-dd}-%i.log.gz\", or remove policies and strategy");
            return false;
        }
        if (policy == null) {
            reader.complain("a triggering policy is missing, so that the log file would never be rolled: add for"
                    + " instance <SizeBasedTriggeringPolicy size=\"100 MB\"/>, or remove filePattern");
            return false;
        }
        if (fileName != null && isDirectWrite()) {
            reader.complain(
                    "fileName cannot be used with " + strategy.getClass().getSimpleName()
                            + ", which names each file by filePattern: remove one of the two");
            return false;
        }
        return isPatternUsable();
    }

    private boolean isPatternUsable() {
        final PatternProcessor processor;
        try {
            processor = new PatternProcessor(filePattern);
        } catch (final RuntimeException unreadable) {
            reader.complain("filePattern=\"" + filePattern + "\" cannot be used: " + unreadable);
            return false;
        }
        if (contains(policy, TimeBasedTriggeringPolicy.class) && processor.getFrequency() == null) {
            reader.complain("filePattern=\"" + filePattern + "\" has no date, by which TimeBasedTriggeringPolicy would"
                    + " roll: add one such as %d{yyyy-MM-dd}, or remove the policy");
            return false;
        }
        final String missing = FileRolling.missingCompressor(filePattern);
        if (missing != null) {
            reader.complain("filePattern=\"" + filePattern + "\" asks for a compression that cannot be done: add its"
                    + " library to the class path, or end it with .gz or .zip (" + missing + ")");
            return false;
        }
        if (fileName != null && FileRolling.canMakeDivertedName(filePattern, fileName)) {
            reader.complain("filePattern=\"" + filePattern + "\" cannot be used with fileName=\"" + fileName
                    + "\": the log file gets such a name itself, with .burst- and a number behind its own, when it"
                    + " cannot go on under that; let the pattern have another text there");
            return false;
        }
        warnOfEqualNames();
        return true;
    }

    private void warnOfEqualNames() {
        final boolean hasIndex =
                AbstractRolloverStrategy.PATTERN_COUNTER.matcher(filePattern).matches();
        if (!hasIndex
                && (contains(policy, SizeBasedTriggeringPolicy.class)
                        || contains(policy, OnStartupTriggeringPolicy.class))) {
            LOGGER.warn(
                    "Burst: filePattern=\"{}\" has no index, so that several files may get the same name by size or"
                            + " at start. No file is replaced: a name that is taken gets a number behind it.",
                    filePattern);
        }
    }

    private static boolean contains(final TriggeringPolicy policy, final Class<? extends TriggeringPolicy> type) {
        if (policy instanceof CompositeTriggeringPolicy all) {
            for (final TriggeringPolicy one : all.getTriggeringPolicies()) {
                if (contains(one, type)) {
                    return true;
                }
            }
        }
        return type.isInstance(policy);
    }

    /** Makes the same default strategy as Log4j's own rolling appenders. */
    @SuppressWarnings("deprecation") // Older versions of Log4j lack the replacement.
    private RolloverStrategy defaultStrategy(final Configuration configuration) {
        final Configuration some = configuration != null ? configuration : new DefaultConfiguration();
        return fileName != null
                ? DefaultRolloverStrategy.createStrategy(null, null, null, null, null, true, some)
                : DirectWriteRolloverStrategy.createStrategy(null, null, null, true, some);
    }
}

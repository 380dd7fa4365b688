// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.Serializable;
import java.time.Duration;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.rolling.AbstractRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.DirectFileRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.lookup.StrSubstitutor;

/**
 * The settings of rolling that one element has.
 *
 * @param appender the name of the appender, for sentences
 * @param fileName the log file; null: the strategy names each file
 * @param filePattern names of the files that ended, absolute or relative to the working directory
 * @param policy when to roll
 * @param strategy how to name files that ended, and what to do with them
 * @param layout whose header and footer begin and end each file
 * @param configuration the one the appender belongs to, or null
 * @param attributes who may read the files
 * @param archives further settings for files that ended
 * @param createOnDemand whether the file is created with the first event
 * @param fileStamp whether each file begins with a line that makes it unlike all others
 * @param advertiseUri where others can read the file, or null
 */
public record RollingSettings(
        String appender,
        String fileName,
        String filePattern,
        TriggeringPolicy policy,
        RolloverStrategy strategy,
        Layout<? extends Serializable> layout,
        Configuration configuration,
        FileAttributes attributes,
        Archives archives,
        boolean createOnDemand,
        boolean fileStamp,
        String advertiseUri) {

    /** Rights and owner of a new file, as the configuration says them; null: not set. */
    public record FileAttributes(String permissions, String owner, String group) {}

    /**
     * The element's own settings for files that ended.
     *
     * @param compressDelay how long they stay as they are before they are compressed
     * @param maxTotalBytes how many bytes all of them may have; 0: any number
     * @param maxAge how old they may get; zero: any age
     */
    public record Archives(Duration compressDelay, long maxTotalBytes, Duration maxAge) {

        boolean areLimited() {
            return maxTotalBytes > 0 || !maxAge.isZero();
        }
    }

    /** Whether the strategy names each file when it begins. */
    public boolean isDirectWrite() {
        return strategy instanceof DirectFileRolloverStrategy;
    }

    LoggerContext context() {
        return configuration == null ? null : configuration.getLoggerContext();
    }

    /** Returns the substitutor for lookups in the pattern. */
    StrSubstitutor substitutor() {
        if (strategy instanceof AbstractRolloverStrategy known) {
            return known.getStrSubstitutor();
        }
        return configuration == null ? new StrSubstitutor() : configuration.getStrSubstitutor();
    }
}

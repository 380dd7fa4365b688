// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.util.HashMap;
import java.util.Map;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.net.Advertiser;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * The attributes {@code advertise} and {@code advertiseUri}, which mean the same as for Log4j's own file appenders.
 *
 * @param isWanted whether to announce the log file while the appender is started
 * @param uri the address at which others can read the log file, or null
 */
record Advertisement(boolean isWanted, String uri) {

    private static final Logger LOGGER = StatusLogger.getLogger();

    /**
     * Announces the log file of an appender. Returns a task that takes the announcement back. Neither of them throws
     * what the advertiser throws: the log file is opened and closed all the same.
     */
    Runnable publish(final BurstAppender appender, final Configuration configuration) {
        if (!isWanted || configuration == null || configuration.getAdvertiser() == null) {
            return () -> {};
        }
        try {
            return published(appender, configuration.getAdvertiser());
        } catch (final RuntimeException | LinkageError failure) {
            LOGGER.warn("Burst '{}': its log file is not announced: {}", appender.getName(), failure.toString());
            return () -> {};
        }
    }

    private Runnable published(final BurstAppender appender, final Advertiser advertiser) {
        final Map<String, String> properties =
                new HashMap<>(appender.getLayout().getContentFormat());
        properties.put("fileURI", uri);
        properties.put("contentType", appender.getLayout().getContentType());
        properties.put("name", appender.getName());
        final Object advertisement = advertiser.advertise(properties);
        return () -> {
            try {
                advertiser.unadvertise(advertisement);
            } catch (final RuntimeException | LinkageError failure) {
                LOGGER.warn("Burst '{}': its log file is still announced: {}", appender.getName(), failure.toString());
            }
        };
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.util.HashMap;
import java.util.Map;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.net.Advertiser;

/**
 * What {@code advertise} and {@code advertiseUri} ask for, as for Log4j's own file appenders.
 *
 * @param isWanted whether the log file is announced while the appender is started
 * @param uri where others can read it, or null
 */
record Advertisement(boolean isWanted, String uri) {

    /** Announces the log file of an appender. Returns what takes that back. */
    Runnable publish(final BurstAppender appender, final Configuration configuration) {
        if (!isWanted || configuration == null || configuration.getAdvertiser() == null) {
            return () -> {};
        }
        final Advertiser advertiser = configuration.getAdvertiser();
        final Map<String, String> properties =
                new HashMap<>(appender.getLayout().getContentFormat());
        properties.put("fileURI", uri);
        properties.put("contentType", appender.getLayout().getContentType());
        properties.put("name", appender.getName());
        final Object advertisement = advertiser.advertise(properties);
        return () -> advertiser.unadvertise(advertisement);
    }
}

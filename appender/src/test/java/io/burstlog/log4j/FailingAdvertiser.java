// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.util.Map;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.net.Advertiser;

/** Cannot announce log files, or cannot take that back; Log4j announces its configuration, too. */
@Plugin(name = "Failing", category = "Core", elementType = "advertiser")
public final class FailingAdvertiser implements Advertiser {

    private static volatile boolean failsToAdvertise;
    private static volatile boolean failsToTakeBack;

    static void fail(final boolean toAdvertise, final boolean toTakeBack) {
        failsToAdvertise = toAdvertise;
        failsToTakeBack = toTakeBack;
    }

    private static void failIf(final boolean fails) {
        if (fails) {
            throw new IllegalStateException("no network");
        }
    }

    @Override
    public Object advertise(final Map<String, String> properties) {
        failIf(failsToAdvertise && properties.containsKey("fileURI"));
        return properties;
    }

    @Override
    public void unadvertise(final Object advertised) {
        failIf(failsToTakeBack && ((Map<?, ?>) advertised).containsKey("fileURI"));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.net.Advertiser;

/** Remembers the files that are announced at the moment; Log4j announces its configuration, too. */
@Plugin(name = "Remembering", category = "Core", elementType = "advertiser")
public final class RememberingAdvertiser implements Advertiser {

    static final List<Map<String, String>> ANNOUNCED = new CopyOnWriteArrayList<>();

    @Override
    public Object advertise(final Map<String, String> properties) {
        if (properties.containsKey("fileURI")) {
            ANNOUNCED.add(properties);
        }
        return properties;
    }

    @Override
    public void unadvertise(final Object advertised) {
        ANNOUNCED.remove(advertised);
    }
}

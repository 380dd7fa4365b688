// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * The name of the element {@code <BookKeeper>}: Log4j drops elements whose names it does not know. {@code <Burst>}
 * takes it out of the configuration before Log4j would build it.
 */
@Plugin(name = "BookKeeper", category = Core.CATEGORY_NAME)
public final class BookKeeperPart {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private BookKeeperPart() {}

    /** Only Log4j calls this, for an element in another place. */
    @PluginFactory
    public static BookKeeperPart nowhereElse() {
        LOGGER.error("Burst: the element <BookKeeper> has an effect in <Burst> alone: put it into the element <Burst>"
                + " whose events it is to copy.");
        return null;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginAliases;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * The names of the elements {@code <BookKeeper>} and {@code <KafkaCopy>}: Log4j drops elements whose names it does not
 * know. {@code <Burst>} takes them out of the configuration before Log4j would build them.
 */
@Plugin(name = "BookKeeper", category = Core.CATEGORY_NAME)
@PluginAliases("KafkaCopy")
public final class CopyPart {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private CopyPart() {}

    /** Only Log4j calls this, for an element in another place. */
    @PluginFactory
    public static CopyPart nowhereElse() {
        LOGGER.error("Burst: the elements <BookKeeper> and <KafkaCopy> have an effect in <Burst> alone: put one of them"
                + " into the element <Burst> whose ring it is to copy.");
        return null;
    }
}

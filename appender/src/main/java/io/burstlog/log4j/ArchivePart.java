// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginAliases;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * The names of the elements {@code <Archive>} and {@code <Anchor>}: Log4j drops elements whose names it does not know.
 * {@code <Burst>} takes them out of the configuration before Log4j would build them.
 */
@Plugin(name = "Archive", category = Core.CATEGORY_NAME)
@PluginAliases("Anchor")
public final class ArchivePart {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private ArchivePart() {}

    /** Only Log4j calls this, for an element in another place. */
    @PluginFactory
    public static ArchivePart nowhereElse() {
        LOGGER.error("Burst: the elements <Archive> and <Anchor> have an effect in <Burst> alone: put <Archive> into"
                + " the element <Burst> whose events it is to archive, and <Anchor> into <Archive>.");
        return null;
    }
}

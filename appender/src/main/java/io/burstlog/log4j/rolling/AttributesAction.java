// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.apache.logging.log4j.core.appender.rolling.action.AbstractAction;
import org.apache.logging.log4j.core.appender.rolling.action.PosixViewAttributeAction;
import org.apache.logging.log4j.core.util.FileUtils;

/** Gives the configured attributes to a compressed file, under whatever name a strategy has given it by now. */
final class AttributesAction extends AbstractAction {

    private final CompressAction compression;
    private final PosixViewAttributeAction wanted;

    AttributesAction(final CompressAction compression, final PosixViewAttributeAction wanted) {
        this.compression = compression;
        this.wanted = wanted;
    }

    @Override
    public boolean execute() throws IOException {
        final Path present = compression.present();
        if (present != null) {
            try {
                FileUtils.defineFilePosixAttributeView(
                        present, wanted.getFilePermissions(), wanted.getFileOwner(), wanted.getFileGroup());
            } catch (final NoSuchFileException deleted) {
                LOGGER.debug("Burst: {} was deleted meanwhile", present);
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return wanted.toString();
    }
}

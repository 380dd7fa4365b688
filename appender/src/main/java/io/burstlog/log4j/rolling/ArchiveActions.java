// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.zip.Deflater;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.DirectWriteRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.action.Action;
import org.apache.logging.log4j.core.appender.rolling.action.CommonsCompressAction;
import org.apache.logging.log4j.core.appender.rolling.action.CompositeAction;
import org.apache.logging.log4j.core.appender.rolling.action.FileRenameAction;
import org.apache.logging.log4j.core.appender.rolling.action.GzCompressAction;
import org.apache.logging.log4j.core.appender.rolling.action.ZipCompressAction;

/**
 * Replaces the compressions in what a strategy wants to be done by those that a crash does not harm. All other actions
 * stay as they are.
 *
 * @param names held where files get names
 */
record ArchiveActions(Lock names, NameWarning warning, RolloverStrategy strategy) {

    /** A compression as Log4j describes it. */
    private record Compression(File source, File destination, Compressor compressor) {}

    Action safe(final Action wanted, final String planned, final Path archive) {
        if (wanted instanceof CompositeAction composite) {
            return new CompositeAction(safe(composite.getActions(), planned, archive), composite.isStopOnError());
        }
        final Compression compression = compressionOf(wanted);
        return compression == null ? wanted : action(compression, compression.destination(), null, planned, archive);
    }

    private List<Action> safe(final Action[] wanted, final String planned, final Path archive) {
        final List<Action> safe = new ArrayList<>();
        for (int i = 0; i < wanted.length; i++) {
            final Compression compression = compressionOf(wanted[i]);
            if (compression != null
                    && i + 1 < wanted.length
                    && wanted[i + 1] instanceof FileRenameAction rename
                    && rename.getSource().equals(compression.destination())) {
                safe.add(action(compression, rename.getDestination(), compression.destination(), planned, archive));
                i++;
            } else {
                safe.add(safe(wanted[i], planned, archive));
            }
        }
        return safe;
    }

    private CompressAction action(
            final Compression compression,
            final File destination,
            final File temporary,
            final String planned,
            final Path archive) {
        final boolean isOfRoll = compression.source().getPath().equals(planned);
        return new CompressAction(
                isOfRoll ? archive : compression.source().toPath(),
                compression.source().toPath().toAbsolutePath(),
                destination.toPath().toAbsolutePath(),
                temporary == null ? null : temporary.toPath().toAbsolutePath(),
                compression.compressor(),
                names,
                warning);
    }

    /** Compresses a file that an earlier process has left. */
    CompressAction compress(final Path file, final String suffix) {
        final Path absolute = file.toAbsolutePath();
        return new CompressAction(
                absolute,
                absolute,
                absolute.resolveSibling(absolute.getFileName() + suffix),
                null,
                Compressor.ofSuffix(suffix, level()),
                names,
                warning);
    }

    /** Whether any of them compresses. */
    static boolean compresses(final Action action) {
        if (action instanceof CompositeAction composite) {
            for (final Action one : composite.getActions()) {
                if (compresses(one)) {
                    return true;
                }
            }
        }
        return action instanceof CompressAction;
    }

    private Compression compressionOf(final Action action) {
        if (action instanceof GzCompressAction gz && gz.isDeleteSource()) {
            return new Compression(gz.getSource(), gz.getDestination(), Compressor.gz(level()));
        }
        if (action instanceof ZipCompressAction zip && zip.isDeleteSource()) {
            return new Compression(zip.getSource(), zip.getDestination(), Compressor.zip(zip.getLevel()));
        }
        if (action instanceof CommonsCompressAction other && other.isDeleteSource()) {
            return new Compression(other.getSource(), other.getDestination(), Compressor.ofCommons(other.getName()));
        }
        return null;
    }

    /** {@code GzCompressAction} does not tell its own. */
    private int level() {
        if (strategy instanceof DefaultRolloverStrategy known) {
            return known.getCompressionLevel();
        }
        return strategy instanceof DirectWriteRolloverStrategy known
                ? known.getCompressionLevel()
                : Deflater.DEFAULT_COMPRESSION;
    }
}

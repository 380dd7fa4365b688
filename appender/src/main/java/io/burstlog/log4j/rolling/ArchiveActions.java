// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.zip.Deflater;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.DirectWriteRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.action.Action;
import org.apache.logging.log4j.core.appender.rolling.action.CommonsCompressAction;
import org.apache.logging.log4j.core.appender.rolling.action.CompositeAction;
import org.apache.logging.log4j.core.appender.rolling.action.DeleteAction;
import org.apache.logging.log4j.core.appender.rolling.action.FileRenameAction;
import org.apache.logging.log4j.core.appender.rolling.action.GzCompressAction;
import org.apache.logging.log4j.core.appender.rolling.action.PosixViewAttributeAction;
import org.apache.logging.log4j.core.appender.rolling.action.ZipCompressAction;

/**
 * Replaces a strategy's compressions by ones that a crash does not harm, and the actions behind them by ones that find
 * the file under any name. All other actions stay as they are; no strategy gives a name while one runs.
 *
 * @param names the lock to hold while a file gets a name
 * @param currentFile the file that is written now
 */
record ArchiveActions(Lock names, NameWarning warning, RolloverStrategy strategy, Supplier<String> currentFile) {

    /** A compression as Log4j describes it. */
    private record Compression(File source, File destination, Compressor compressor) {}

    Action safe(final Action wanted, final String planned, final Path archive) {
        return new Replacement(planned, archive).of(wanted);
    }

    /** The replacement of the actions of one roll. */
    private final class Replacement {

        private final String planned;
        private final Path archive;

        /** The compression of this roll; null until the actions have one. */
        private CompressAction compression;

        Replacement(final String planned, final Path archive) {
            this.planned = planned;
            this.archive = archive;
        }

        Action of(final Action wanted) {
            if (wanted instanceof CompositeAction composite) {
                return new ActionsOfRoll(of(composite.getActions()), composite.isStopOnError());
            }
            final Compression described = compressionOf(wanted);
            if (described != null) {
                return compress(described, described.destination(), null);
            }
            return new GuardedAction(
                    wanted instanceof DeleteAction deletion
                            ? new DeletionBesideLog(deletion, currentFile)
                            : givesItsAttributes(wanted),
                    names);
        }

        private List<Action> of(final Action[] wanted) {
            final List<Action> safe = new ArrayList<>();
            for (int i = 0; i < wanted.length; i++) {
                final Compression described = compressionOf(wanted[i]);
                if (described != null
                        && i + 1 < wanted.length
                        && wanted[i + 1] instanceof FileRenameAction rename
                        && rename.getSource().equals(described.destination())) {
                    safe.add(compress(described, rename.getDestination(), described.destination()));
                    i++;
                } else {
                    safe.add(of(wanted[i]));
                }
            }
            return safe;
        }

        private CompressAction compress(final Compression described, final File destination, final File temporary) {
            compression = action(described, destination, temporary, planned, archive);
            return compression;
        }

        /**
         * Finds the compressed file for an action on attributes. The action names the file as it would be called if
         * nothing came between.
         */
        private Action givesItsAttributes(final Action wanted) {
            return compression != null
                            && wanted instanceof PosixViewAttributeAction attributes
                            && attributes.getPathConditions().isEmpty()
                            && compression.isTo(attributes.getBasePath())
                    ? new AttributesAction(compression, attributes)
                    : wanted;
        }
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

    /** Whether any of the actions compresses. */
    static boolean compresses(final Action action) {
        return compresses(action, compression -> true);
    }

    /** Whether any of the actions compresses this file. */
    static boolean compresses(final Action action, final FileIdentity file) {
        return compresses(action, compression -> compression.isOf(file));
    }

    private static boolean compresses(final Action action, final Predicate<CompressAction> isMeant) {
        if (action instanceof CompositeAction composite) {
            for (final Action one : composite.getActions()) {
                if (compresses(one, isMeant)) {
                    return true;
                }
            }
        }
        return action instanceof CompressAction compression && isMeant.test(compression);
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

    /** Reads the level by reflection: {@code GzCompressAction} has no getter for it. */
    private int level() {
        if (strategy instanceof DefaultRolloverStrategy known) {
            return known.getCompressionLevel();
        }
        return strategy instanceof DirectWriteRolloverStrategy known
                ? known.getCompressionLevel()
                : Deflater.DEFAULT_COMPRESSION;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.Arrays;
import java.util.concurrent.locks.Lock;
import org.apache.logging.log4j.core.appender.rolling.action.AbstractAction;

/**
 * Compresses a file that ended into its twin. The twin is made under a temporary name, synced, and published without
 * replacing anything; then the file is deleted. So an interruption at any point leaves the file, or the twin, or both,
 * each of them whole. If a step fails, the twin is deleted. If a strategy renames the file meanwhile, the twin follows.
 */
final class CompressAction extends AbstractAction {

    /** The temporary name is a dot, the twin's name, and this. */
    static final String TEMPORARY_SUFFIX = ".burst-tmp";

    private static final int BUFFER_BYTES = 64 * 1024;

    private final Path source;
    private final Path planned;
    private final Path destination;
    private final Path temporary;
    private final Compressor compressor;
    private final Lock names;
    private final NameWarning warning;
    private final FileIdentity identity;

    /** The published twin; null until it has its name. */
    private Path published;

    private FileIdentity twinIdentity;

    /** The file was not compressed, and is as it was. */
    static final class Failure extends IOException {

        private static final long serialVersionUID = 1L;

        Failure(final String sentence, final Throwable cause) {
            super(sentence, cause);
        }
    }

    /**
     * An action for a file that exists now.
     *
     * @param source null if it is gone
     * @param planned the name that the strategy had planned; if the file has another one, the twin is named after that
     * @param destination the name of the twin
     * @param temporary the twin's name until it is whole; null: a name beside its own
     */
    CompressAction(
            final Path source,
            final Path planned,
            final Path destination,
            final Path temporary,
            final Compressor compressor,
            final Lock names,
            final NameWarning warning) {
        this.source = source;
        this.planned = planned;
        this.destination = destination;
        this.temporary = temporary;
        this.compressor = compressor;
        this.names = names;
        this.warning = warning;
        this.identity = identityOf(source);
    }

    private static FileIdentity identityOf(final Path file) {
        try {
            return file == null ? null : FileIdentity.of(file);
        } catch (final IOException gone) {
            return null;
        }
    }

    /** @return false if there is nothing to compress any more */
    @Override
    public boolean execute() throws IOException {
        return identity != null && ArchiveJobs.inTurn(this::compress);
    }

    private boolean compress() throws IOException {
        Path twin = null;
        try {
            final Path present;
            final PosixFileAttributes rights;
            final FileChannel input;
            names.lock();
            try {
                present = identity.find(source);
                rights = present == null ? null : rightsOf(present);
                input = present == null ? null : FileChannel.open(present, StandardOpenOption.READ);
            } finally {
                names.unlock();
            }
            if (input == null) {
                return false;
            }
            try (input) {
                twin = temporaryOf(twinOf(present));
                if (isTwinOf(present, twinOf(present))) {
                    deleteBeginning(twin);
                    has(twinOf(present));
                    return deleteOf(present);
                }
                Files.deleteIfExists(twin);
                write(input, present, rights, twin);
            }
            return publish(twin);
        } catch (final IOException | RuntimeException | LinkageError failure) {
            if (twin != null) {
                deleteBeginning(twin);
            }
            throw new Failure(source + " could not be compressed: " + failure, failure);
        }
    }

    /** Whether a file has the name of its twin. */
    boolean hasTwin() {
        return identity != null && Files.exists(destination);
    }

    /** Deletes the file if an earlier compression ended between its last two steps. Nothing else is done. */
    void finish() throws IOException {
        if (identity != null && isTwinOf(source, destination)) {
            deleteOf(source);
        }
    }

    /** Whether this action is to compress the file. */
    boolean isOf(final FileIdentity file) {
        return file.equals(identity);
    }

    /** Whether this action's twin is to have the name. */
    boolean isTo(final Path name) {
        return name.toAbsolutePath().equals(destination);
    }

    /** Returns the present name of the file, or of its twin once that is there. Null if both are gone. */
    Path present() {
        if (twinIdentity != null) {
            return twinIdentity.find(published);
        }
        return identity == null ? null : identity.find(source);
    }

    private void has(final Path twin) throws IOException {
        published = twin;
        twinIdentity = FileIdentity.of(twin);
    }

    /** Deletes an unfinished twin. If that fails, the next attempt or the next start deletes it. */
    private static void deleteBeginning(final Path twin) {
        try {
            Files.deleteIfExists(twin);
        } catch (final IOException failsToo) {
            LOGGER.debug("Burst: {} stays until the next attempt: {}", twin, failsToo.toString());
        }
    }

    /** Whether an earlier compression ended between its last two steps. */
    private boolean isTwinOf(final Path file, final Path twin) {
        if (!Files.exists(twin)) {
            return false;
        }
        try (InputStream whole = Files.newInputStream(file);
                InputStream unpacked = compressor.decompress(Files.newInputStream(twin))) {
            final byte[] wanted = new byte[BUFFER_BYTES];
            final byte[] found = new byte[BUFFER_BYTES];
            int length;
            do {
                length = whole.readNBytes(wanted, 0, BUFFER_BYTES);
                if (unpacked.readNBytes(found, 0, BUFFER_BYTES) != length
                        || !Arrays.equals(wanted, 0, length, found, 0, length)) {
                    return false;
                }
            } while (length > 0);
            return true;
        } catch (final IOException truncated) {
            return false;
        }
    }

    private boolean deleteOf(final Path twice) throws IOException {
        names.lock();
        try {
            if (!identity.isOf(twice)) {
                return false;
            }
            Durable.sync(twice.toAbsolutePath().getParent());
            Files.delete(twice);
            return true;
        } finally {
            names.unlock();
        }
    }

    private void write(final FileChannel input, final Path present, final PosixFileAttributes rights, final Path twin)
            throws IOException {
        try (FileChannel output = FileChannel.open(twin, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            give(rights, twin);
            final InputStream in = Channels.newInputStream(input);
            final OutputStream raw = new Unclosed(Channels.newOutputStream(output));
            try (OutputStream out =
                    compressor.compress(raw, present.getFileName().toString())) {
                final byte[] buffer = new byte[BUFFER_BYTES];
                for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                    out.write(buffer, 0, length);
                }
            }
            Files.getFileAttributeView(twin, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setTimes(identity.modified(), null, null);
            output.force(true);
        }
    }

    /** Returns the file's rights; null on a file system without them. */
    private static PosixFileAttributes rightsOf(final Path file) throws IOException {
        final PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        return view == null ? null : view.readAttributes();
    }

    /**
     * Gives the file's rights to its twin, as far as the process may, so that nobody reads the twin who may not read
     * the file. It follows no link that somebody has put in the twin's place.
     */
    private static void give(final PosixFileAttributes rights, final Path twin) throws IOException {
        if (rights == null) {
            return;
        }
        final PosixFileAttributeView view =
                Files.getFileAttributeView(twin, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        view.setPermissions(rights.permissions());
        try {
            view.setGroup(rights.group());
            view.setOwner(rights.owner());
        } catch (final IOException notAllowed) {
            LOGGER.debug("Burst: the owner of {} stays that of the process: {}", twin, notAllowed.toString());
        }
    }

    private boolean publish(final Path twin) throws IOException {
        names.lock();
        try {
            final Path present = identity.find(source);
            if (present == null) {
                // The strategy deleted the file while it was compressed.
                Files.deleteIfExists(twin);
                return false;
            }
            Path name = twinOf(present);
            while (!isLinked(twin, name)) {
                name = Path.of(warning.free(name.toString()));
            }
            try {
                has(name);
                Durable.sync(name.toAbsolutePath().getParent());
                Files.deleteIfExists(twin);
                Files.delete(present);
            } catch (final IOException | RuntimeException failure) {
                // A strategy would take file and twin for two archives.
                if (identity.isOf(present)) {
                    twinIdentity = null;
                    deleteBeginning(name);
                }
                throw failure;
            }
            return true;
        } finally {
            names.unlock();
        }
    }

    private static boolean isLinked(final Path twin, final Path name) throws IOException {
        try {
            Durable.link(twin, name);
            return true;
        } catch (final IOException failure) {
            // The rename was done, and the server's answer was lost: the twin must not get a second name.
            if (Files.exists(name) && Files.isSameFile(twin, name)) {
                return true;
            }
            if (!(failure instanceof FileAlreadyExistsException)) {
                throw failure;
            }
            if (Files.size(name) == 0) {
                Files.delete(name);
            }
            return false;
        }
    }

    private Path twinOf(final Path present) {
        if (present.toAbsolutePath().equals(planned)) {
            return destination;
        }
        return present.resolveSibling(present.getFileName() + FileNames.compressedSuffix(destination.toString()));
    }

    private Path temporaryOf(final Path twin) throws IOException {
        if (temporary != null) {
            Files.createDirectories(temporary.getParent());
            if (Files.getFileStore(temporary.getParent()).equals(Files.getFileStore(twin.getParent()))) {
                return temporary;
            }
            LOGGER.debug("Burst: {} is on another file system than {} and is not used", temporary, twin);
        }
        return twin.resolveSibling("." + twin.getFileName() + TEMPORARY_SUFFIX);
    }

    /** Passes no close on, so that the channel below can be synced when the format is complete. */
    private static final class Unclosed extends FilterOutputStream {

        Unclosed(final OutputStream out) {
            super(out);
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }

    @Override
    public String toString() {
        return "CompressAction[" + source + " to " + destination + "]";
    }
}

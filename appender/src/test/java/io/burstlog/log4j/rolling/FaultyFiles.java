// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Paths of real files, while one of the calls for them fails, or ends the process. Not thread-safe. */
final class FaultyFiles extends FileSystemProvider {

    enum Fault {
        /** The call fails; later ones do not. */
        ONCE,
        /** The call has its effect, and fails: as if a server's answer were lost. */
        ONCE_DONE,
        /** This call fails, and so do all later ones. */
        FOREVER,
        /** The process ends before the call. */
        DEAD_BEFORE,
        /** The process ends after the call has had its effect. */
        DEAD_AFTER
    }

    /** The process has ended: the code under test has no effect any more. */
    static final class Dead extends Error {

        private static final long serialVersionUID = 1L;
    }

    private interface Call<T> {
        T make() throws IOException;
    }

    private final Fault fault;
    private final int number;
    private final String reason;
    /** The syncs, and the changes of names that must come behind them. */
    final List<String> durable = new ArrayList<>();

    private int calls;

    /** @param number of the call that the fault strikes, from 1 */
    FaultyFiles(final Fault fault, final int number, final String reason) {
        this.fault = fault;
        this.number = number;
        this.reason = reason;
    }

    /** Says whether the fault has struck. */
    boolean hasStruck() {
        return calls >= number;
    }

    private <T> T call(final Call<T> call) throws IOException {
        final boolean strikes = ++calls == number;
        if (fault == Fault.DEAD_BEFORE && calls >= number || fault == Fault.DEAD_AFTER && calls > number) {
            throw new Dead();
        }
        if (strikes && fault == Fault.ONCE || calls >= number && fault == Fault.FOREVER) {
            throw new IOException(reason);
        }
        final T result = call.make();
        if (strikes && fault == Fault.DEAD_AFTER) {
            throw new Dead();
        } else if (strikes && fault == Fault.ONCE_DONE) {
            throw new IOException(reason.equals("made again") ? call.make() + reason : reason);
        }
        return result;
    }

    private void run(final Call<Path> call) throws IOException {
        call(call);
    }

    /** The faulty path of a real file. */
    Path faulty(final Path real) {
        final FileSystem ofPath = new OfPath(real.getFileSystem());
        return (Path) Proxy.newProxyInstance(
                FaultyFiles.class.getClassLoader(),
                new Class<?>[] {Path.class, Real.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("real")) {
                        return real;
                    }
                    if (method.getName().equals("getFileSystem")) {
                        return ofPath;
                    }
                    final Object[] unwrapped = arguments == null
                            ? null
                            : Arrays.stream(arguments).map(FaultyFiles::real).toArray();
                    try {
                        final Object result = method.invoke(real, unwrapped);
                        return result instanceof Path path ? faulty(path) : result;
                    } catch (final InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }

    /** Gives a faulty path's real one. */
    public interface Real {
        Path real();
    }

    private static Object real(final Object any) {
        return any instanceof Real faulty ? faulty.real() : any;
    }

    private static Path real(final Path path) {
        return (Path) real((Object) path);
    }

    @Override
    public FileChannel newFileChannel(
            final Path path, final Set<? extends OpenOption> options, final FileAttribute<?>... attributes)
            throws IOException {
        return new Channel(call(() -> FileChannel.open(real(path), options, attributes)), real(path));
    }

    @Override
    public SeekableByteChannel newByteChannel(
            final Path path, final Set<? extends OpenOption> options, final FileAttribute<?>... attributes)
            throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(
            final Path folder, final DirectoryStream.Filter<? super Path> filter) throws IOException {
        final DirectoryStream<Path> stream = call(() -> Files.newDirectoryStream(real(folder)));
        return new DirectoryStream<>() {
            @Override
            public Iterator<Path> iterator() {
                final Iterator<Path> paths = stream.iterator();
                return new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        return paths.hasNext();
                    }

                    @Override
                    public Path next() {
                        return faulty(paths.next());
                    }
                };
            }

            @Override
            public void close() throws IOException {
                stream.close();
            }
        };
    }

    @Override
    public void createDirectory(final Path folder, final FileAttribute<?>... attributes) throws IOException {
        run(() -> Files.createDirectory(real(folder), attributes));
    }

    @Override
    public void delete(final Path path) throws IOException {
        durable.add("delete " + real(path).getFileName());
        run(() -> {
            Files.delete(real(path));
            return path;
        });
    }

    @Override
    public void copy(final Path from, final Path to, final CopyOption... options) throws IOException {
        run(() -> Files.copy(real(from), real(to), options));
    }

    @Override
    public void move(final Path from, final Path to, final CopyOption... options) throws IOException {
        run(() -> Files.move(real(from), real(to), options));
    }

    @Override
    public void createLink(final Path link, final Path existing) throws IOException {
        durable.add("link " + real(link).getFileName());
        run(() -> Files.createLink(real(link), real(existing)));
    }

    @Override
    public void checkAccess(final Path path, final AccessMode... modes) throws IOException {
        run(() -> {
            real(path).getFileSystem().provider().checkAccess(real(path), modes);
            return path;
        });
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(
            final Path path, final Class<A> type, final LinkOption... options) throws IOException {
        return call(() -> Files.readAttributes(real(path), type, options));
    }

    @Override
    public Map<String, Object> readAttributes(final Path path, final String names, final LinkOption... options)
            throws IOException {
        return call(() -> Files.readAttributes(real(path), names, options));
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(
            final Path path, final Class<V> type, final LinkOption... options) {
        return Files.getFileAttributeView(real(path), type, options);
    }

    @Override
    public void setAttribute(final Path path, final String name, final Object value, final LinkOption... options)
            throws IOException {
        run(() -> Files.setAttribute(real(path), name, value, options));
    }

    @Override
    public FileStore getFileStore(final Path path) throws IOException {
        return call(() -> Files.getFileStore(real(path)));
    }

    @Override
    public boolean isSameFile(final Path one, final Path other) throws IOException {
        return call(() -> Files.isSameFile(real(one), real(other)));
    }

    @Override
    public boolean isHidden(final Path path) throws IOException {
        return call(() -> Files.isHidden(real(path)));
    }

    @Override
    public String getScheme() {
        return "faulty";
    }

    @Override
    public FileSystem newFileSystem(final URI uri, final Map<String, ?> environment) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileSystem getFileSystem(final URI uri) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Path getPath(final URI uri) {
        throw new UnsupportedOperationException();
    }

    private final class OfPath extends FileSystem {

        private final FileSystem real;

        OfPath(final FileSystem real) {
            this.real = real;
        }

        @Override
        public FileSystemProvider provider() {
            return FaultyFiles.this;
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean isReadOnly() {
            return false;
        }

        @Override
        public String getSeparator() {
            return real.getSeparator();
        }

        @Override
        public Iterable<Path> getRootDirectories() {
            return real.getRootDirectories();
        }

        @Override
        public Iterable<FileStore> getFileStores() {
            return real.getFileStores();
        }

        @Override
        public Set<String> supportedFileAttributeViews() {
            return real.supportedFileAttributeViews();
        }

        @Override
        public Path getPath(final String first, final String... more) {
            return faulty(real.getPath(first, more));
        }

        @Override
        public java.nio.file.PathMatcher getPathMatcher(final String pattern) {
            return real.getPathMatcher(pattern);
        }

        @Override
        public java.nio.file.attribute.UserPrincipalLookupService getUserPrincipalLookupService() {
            return real.getUserPrincipalLookupService();
        }

        @Override
        public java.nio.file.WatchService newWatchService() {
            throw new UnsupportedOperationException();
        }
    }

    private final class Channel extends FileChannel {

        private final FileChannel real;
        private final Path path;

        Channel(final FileChannel real, final Path path) {
            this.real = real;
            this.path = path;
        }

        @Override
        public int read(final ByteBuffer to) throws IOException {
            return call(() -> real.read(to));
        }

        @Override
        public long read(final ByteBuffer[] to, final int from, final int count) throws IOException {
            return call(() -> real.read(to, from, count));
        }

        @Override
        public int read(final ByteBuffer to, final long position) throws IOException {
            return call(() -> real.read(to, position));
        }

        @Override
        public int write(final ByteBuffer data) throws IOException {
            return call(() -> real.write(data));
        }

        @Override
        public long write(final ByteBuffer[] data, final int from, final int count) throws IOException {
            return call(() -> real.write(data, from, count));
        }

        @Override
        public int write(final ByteBuffer data, final long position) throws IOException {
            return call(() -> real.write(data, position));
        }

        @Override
        public void force(final boolean metaData) throws IOException {
            durable.add("sync " + path.getFileName());
            run(() -> {
                real.force(metaData);
                return null;
            });
        }

        @Override
        public long position() throws IOException {
            return real.position();
        }

        @Override
        public FileChannel position(final long position) throws IOException {
            real.position(position);
            return this;
        }

        @Override
        public long size() throws IOException {
            return real.size();
        }

        @Override
        public FileChannel truncate(final long size) throws IOException {
            return call(() -> real.truncate(size));
        }

        @Override
        public long transferTo(final long position, final long count, final WritableByteChannel target)
                throws IOException {
            return call(() -> real.transferTo(position, count, target));
        }

        @Override
        public long transferFrom(final ReadableByteChannel source, final long position, final long count)
                throws IOException {
            return call(() -> real.transferFrom(source, position, count));
        }

        @Override
        public MappedByteBuffer map(final MapMode mode, final long position, final long size) throws IOException {
            return call(() -> real.map(mode, position, size));
        }

        @Override
        public FileLock lock(final long position, final long size, final boolean isShared) throws IOException {
            return call(() -> real.lock(position, size, isShared));
        }

        @Override
        public FileLock tryLock(final long position, final long size, final boolean isShared) throws IOException {
            return call(() -> real.tryLock(position, size, isShared));
        }

        @Override
        protected void implCloseChannel() throws IOException {
            real.close();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A folder of a file system. No link in it is followed. Reads may come from any thread. */
class FolderDisk implements Disk, AutoCloseable {

    /** A file system commits the syncs of several threads at once. */
    private static final int SYNCING_THREADS = 8;

    /** Fewer files are synced each by itself, since a sync of the file system writes also what is not the archive's. */
    private static final int MANY = 16;

    private static final OpenOption[] LONGER = {
        StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS
    };
    private static final OpenOption[] WHOLE = {
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE,
        LinkOption.NOFOLLOW_LINKS
    };

    private final Path folder;

    /** Null if each file is to be synced by itself. */
    private FileSystemSync fileSystem;

    /** Folders that are there, which only a writer notes. */
    private final Set<Path> knownFolders = new HashSet<>();

    /** Folders whose own names may not be durable yet. */
    private final Set<Path> doubtfulFolders = new HashSet<>();

    private ExecutorService syncing;

    FolderDisk(Path folder) {
        this(folder, null);
    }

    FolderDisk(Path folder, FileSystemSync fileSystem) {
        this.folder = folder.toAbsolutePath().normalize();
        this.fileSystem = fileSystem;
    }

    /** {@return a folder into which many files will be written; it must be closed} */
    static FolderDisk forManyFiles(Path folder) throws IOException {
        return new FolderDisk(folder, FileSystemSync.of(folder));
    }

    /** Makes the folder itself, and those above it that are missing: their names are durable on return. */
    void makeItself() throws IOException {
        makeDurable(folder);
    }

    private void makeDurable(Path wanted) throws IOException {
        Path above = wanted.getParent();
        if (above == null) {
            return;
        }
        boolean isMissing = !Files.isDirectory(wanted);
        if (isMissing) {
            makeDurable(above);
            Files.createDirectories(wanted);
        }
        try {
            // Also if it is there: the process that made it may have been killed before its sync.
            force(above);
        } catch (IOException failure) {
            boolean isOfAnother = !isMissing && (!wanted.equals(folder) || failure instanceof AccessDeniedException);
            if (!isOfAnother) {
                throw failure;
            }
        }
    }

    /** {@return the path of a name, which must not lead out of the folder} */
    private Path path(String name) throws NoSuchFileException {
        Path path = folder.resolve(name);
        if (!path.startsWith(folder) || !path.normalize().equals(path)) {
            throw new NoSuchFileException(path.toString(), null, "it is not in " + folder);
        }
        return path;
    }

    /** {@return the path and what it is, if a plain file is there; no folder on the way may be a link} */
    private BasicFileAttributes plain(Path path) throws IOException {
        BasicFileAttributes file = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!file.isRegularFile() || !isOwnFolder(path.getParent())) {
            throw new NoSuchFileException(path.toString(), null, "it is a link, or no plain file");
        }
        return file;
    }

    private boolean isOwnFolder(Path path) {
        for (Path each = path; !each.equals(folder); each = each.getParent()) {
            if (!Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public byte[] read(String name, long offset, int length) throws IOException {
        Path path = path(name);
        plain(path);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.max(0, Math.min(length, file.size() - offset)));
            while (bytes.hasRemaining()) {
                if (file.read(bytes, offset + bytes.position()) < 0) {
                    throw new IOException(path + " became shorter while it was read");
                }
            }
            return bytes.array();
        }
    }

    @Override
    public long length(String name) throws IOException {
        try {
            return plain(path(name)).size();
        } catch (NoSuchFileException none) {
            return -1;
        }
    }

    @Override
    public String stamp(String name) throws IOException {
        try {
            return new TreeMap<>(Files.readAttributes(
                            path(name), "unix:dev,ino,size,lastModifiedTime,ctime", LinkOption.NOFOLLOW_LINKS))
                    .toString();
        } catch (NoSuchFileException none) {
            return "";
        }
    }

    @Override
    public List<String> list(String name) throws IOException {
        List<String> names = new ArrayList<>();
        Path wanted = path(name.endsWith("/") ? name.substring(0, name.length() - 1) : name);
        if (!name.isEmpty() && !isOwnFolder(wanted)) {
            return names;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(wanted)) {
            for (Path each : files) {
                String suffix = suffix(each);
                if (suffix != null) {
                    names.add(each.getFileName() + suffix);
                }
            }
        } catch (NoSuchFileException | NotDirectoryException none) {
            return names;
        }
        return names;
    }

    /** Returns null if the file has gone since its folder was read: an archiver may be at work. */
    private static String suffix(Path path) {
        try {
            BasicFileAttributes file = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return file.isDirectory() ? "/" : file.isRegularFile() ? "" : "@";
        } catch (NoSuchFileException gone) {
            return null;
        } catch (IOException unknown) {
            return "@";
        }
    }

    @Override
    public void write(String name, byte[] bytes) throws IOException {
        Path path = path(name);
        makeFolder(path.getParent());
        try (FileChannel file = FileChannel.open(path, WHOLE)) {
            fill(file, 0, ByteBuffer.wrap(bytes));
        }
    }

    @Override
    public void append(String name, long offset, byte[] bytes, int length) throws IOException {
        Path path = path(name);
        makeFolder(path.getParent());
        try (FileChannel file = FileChannel.open(path, LONGER)) {
            if (file.size() > offset) {
                file.truncate(offset);
            }
            fill(file, offset, ByteBuffer.wrap(bytes, 0, length));
        }
    }

    private static void fill(FileChannel file, long offset, ByteBuffer rest) throws IOException {
        while (rest.hasRemaining()) {
            file.write(rest, offset + rest.position());
        }
    }

    private void makeFolder(Path wanted) throws IOException {
        if (wanted.equals(folder) || knownFolders.contains(wanted)) {
            return;
        }
        makeFolder(wanted.getParent());
        if (!Files.isDirectory(wanted, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(wanted);
        } else if (fileSystem != null && !fileSystem.covers(wanted)) {
            // A file system of its own is mounted there.
            fileSystem.close();
            fileSystem = null;
        }
        knownFolders.add(wanted);
        // The process that made it may have been killed before its sync.
        doubtfulFolders.add(wanted);
    }

    @Override
    public void sync(Collection<String> names) throws IOException {
        if (fileSystem != null && names.size() >= MANY) {
            fileSystem.sync();
            doubtfulFolders.clear();
            return;
        }
        Set<Path> files = new HashSet<>();
        Set<Path> folders = new HashSet<>();
        for (String name : names) {
            if (!name.endsWith("/")) {
                files.add(path(name));
                folders.add(path(name).getParent());
            } else if (Files.isDirectory(path(name), LinkOption.NOFOLLOW_LINKS)) {
                folders.add(path(name));
            }
        }
        doubtfulFolders.forEach(each -> folders.add(each.getParent()));
        if (files.size() == 1) {
            force(files.iterator().next());
        } else {
            forceTogether(files);
        }
        for (Path each : folders) {
            force(each);
        }
        doubtfulFolders.clear();
    }

    /** Makes a file durable, or the names in a folder. */
    static void sync(Path path) throws IOException {
        // A folder can be opened to be read alone.
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            file.force(true);
        }
    }

    /** Makes one of this archive durable; several threads do at once. */
    void force(Path path) throws IOException {
        sync(path);
    }

    private void forceTogether(Set<Path> paths) throws IOException {
        if (syncing == null) {
            syncing = Executors.newFixedThreadPool(SYNCING_THREADS, task -> {
                Thread thread = new Thread(task, "burstlog-archive sync");
                thread.setDaemon(true);
                return thread;
            });
        }
        List<Callable<Object>> tasks = new ArrayList<>();
        for (Path each : paths) {
            tasks.add(() -> {
                force(each);
                return null;
            });
        }
        try {
            for (Future<Object> each : syncing.invokeAll(tasks)) {
                each.get();
            }
        } catch (ExecutionException failed) {
            throw new IOException(failed.getCause().toString(), failed.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IOException("the sync of the archive was interrupted", stopped);
        }
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(path(from), path(to), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void delete(String name) throws IOException {
        knownFolders.remove(path(name));
        try {
            Files.deleteIfExists(path(name));
        } catch (FileSystemException refused) {
            String why = refused.getReason();
            throw new IOException(
                    path(name) + " cannot be deleted: "
                            + (why == null ? refused.getClass().getSimpleName() : why),
                    refused);
        }
    }

    @Override
    public void close() {
        if (fileSystem != null) {
            fileSystem.close();
            fileSystem = null;
        }
        if (syncing != null) {
            syncing.shutdown();
        }
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}

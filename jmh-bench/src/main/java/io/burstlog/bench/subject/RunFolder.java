// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A folder for the rings and logs of one run, by this process and its children. Its end removes everything, even if a
 * child was killed or this process is interrupted: the folder, its twin in memory, devices that were made for it, and
 * mounts within it.
 */
public final class RunFolder implements AutoCloseable {

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private static final String NAME = "burstlog-bench-";
    private static final long PATIENCE_SECONDS = 10;

    private final Path path;
    private final Thread atExit = new Thread(this::interrupted);

    private RunFolder(Path path) {
        this.path = path;
    }

    /** @param parent on the disk for the log files; made if it is missing */
    public static RunFolder in(Path parent) throws IOException {
        RunFolder folder = partOf(parent);
        Runtime.getRuntime().addShutdownHook(folder.atExit);
        return folder;
    }

    /** A folder within the whole run's: if this process dies, that folder's owner removes both. */
    public static RunFolder partOf(Path parent) throws IOException {
        return new RunFolder(Files.createTempDirectory(Files.createDirectories(parent.toAbsolutePath()), NAME));
    }

    public Path path() {
        return path;
    }

    /** The folder for rings in memory. */
    public Path memory() {
        return SHARED_MEMORY.resolve(path.getFileName());
    }

    /** Mounts a file system of one megabyte in the folder, for a log file that cannot be written. */
    public Path mountTiny() throws IOException, Media.NotPossible {
        Path at = Files.createDirectories(path.resolve("full"));
        Programs.run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", at.toString());
        return at;
    }

    @Override
    public void close() {
        clear();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException interrupted) {
            // It runs already.
        }
    }

    /** Children hold devices and write files until they are dead. */
    private void interrupted() {
        List<ProcessHandle> children = ProcessHandle.current().descendants().toList();
        children.forEach(ProcessHandle::destroyForcibly);
        try {
            for (ProcessHandle child : children) {
                child.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        } catch (Exception stillThere) {
            System.err.println("A child does not end: " + stillThere);
        }
        clear();
    }

    private synchronized void clear() {
        try {
            FileSystems.unmountAll(path);
            for (Path each : all(path)) {
                if (Files.isDirectory(each) && each.getFileName().toString().startsWith(NAME)) {
                    Zram.removeAll(each);
                    delete(SHARED_MEMORY.resolve(each.getFileName()));
                }
            }
            delete(path);
        } catch (IOException | Media.NotPossible failure) {
            System.err.println("Not all of " + path + " could be removed: " + failure);
        }
    }

    /** Deletes the folder with its content, if it exists. */
    public static void delete(Path folder) throws IOException {
        for (Path each : all(folder)) {
            Files.deleteIfExists(each);
        }
    }

    /** All entries of the folder, then the folder itself. */
    private static List<Path> all(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.sorted(Comparator.reverseOrder()).toList();
        } catch (NoSuchFileException gone) {
            return List.of();
        }
    }
}

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
 * A folder for the rings and logs of one run, by this process and its children. Nothing of it is left at the end, also
 * if a child was killed or this process is interrupted: neither the folder, nor its twin in memory, nor devices that
 * were made for it, nor what was mounted in it.
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

    /** @param parent on the disk that the log files are to be on; made if it is missing */
    public static RunFolder in(Path parent) throws IOException {
        RunFolder folder = partOf(parent);
        Runtime.getRuntime().addShutdownHook(folder.atExit);
        return folder;
    }

    /** A folder in that of the whole run: if this process dies, who made that one removes both. */
    public static RunFolder partOf(Path parent) throws IOException {
        return new RunFolder(Files.createTempDirectory(Files.createDirectories(parent.toAbsolutePath()), NAME));
    }

    public Path path() {
        return path;
    }

    /** Where rings in memory go. */
    public Path memory() {
        return SHARED_MEMORY.resolve(path.getFileName());
    }

    /** A file system of a megabyte in the folder, for a log file that cannot be written. */
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

    /** With all that is in it; nothing if it is not there. */
    public static void delete(Path folder) throws IOException {
        for (Path each : all(folder)) {
            Files.deleteIfExists(each);
        }
    }

    /** What is in it before itself. */
    private static List<Path> all(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.sorted(Comparator.reverseOrder()).toList();
        } catch (NoSuchFileException gone) {
            return List.of();
        }
    }
}

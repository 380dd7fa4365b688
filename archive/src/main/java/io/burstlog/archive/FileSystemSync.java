// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import com.sun.jna.Function;
import com.sun.jna.LastErrorException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes everything durable that was written to the file system of a folder, by one call. A tree has two files for 256
 * leaves, and a commit of the journal for each costs more than all else.
 *
 * <p>Linux tells each failed write to every descriptor that was open before it, from 5.8 on. So this is opened before
 * the first write, and closed after the last. Only the file systems below are trusted with it: FUSE, NFS and the like
 * may write to a server without a sync there.
 */
class FileSystemSync implements AutoCloseable {

    private static final Set<String> TRUSTED = Set.of("ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs");
    private static final Pattern RELEASE = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\D?.*");
    private static final int FIRST_MAJOR = 5;
    private static final int FIRST_MINOR = 8;
    private static final int O_CLOEXEC = 02000000;

    private final Path folder;
    private final Object device;
    private final int descriptor;

    /** For tests, which call no kernel. */
    FileSystemSync(Path folder, Object device) {
        this(folder, device, -1);
    }

    private FileSystemSync(Path folder, Object device, int descriptor) {
        this.folder = folder;
        this.device = device;
        this.descriptor = descriptor;
    }

    /** {@return the one of this folder; null if each file is to be synced by itself there} */
    static FileSystemSync of(Path folder) throws IOException {
        return Files.isDirectory(folder)
                        && tellsErrors(System.getProperty("os.name"), System.getProperty("os.version"))
                        && isTrusted(Files.getFileStore(folder).type())
                ? open(folder)
                : null;
    }

    static boolean isTrusted(String type) {
        return TRUSTED.contains(type.toLowerCase(Locale.ROOT));
    }

    /** Whether syncfs of this kernel tells failed writes. */
    static boolean tellsErrors(String system, String release) {
        Matcher version = RELEASE.matcher(release);
        if (!system.equals("Linux") || !version.matches()) {
            return false;
        }
        int major = Integer.parseInt(version.group(1));
        return major > FIRST_MAJOR || major == FIRST_MAJOR && Integer.parseInt(version.group(2)) >= FIRST_MINOR;
    }

    private static FileSystemSync open(Path folder) throws IOException {
        try {
            int descriptor = call("open", folder.toString(), O_CLOEXEC);
            return new FileSystemSync(folder, deviceOf(folder), descriptor);
        } catch (UnsatisfiedLinkError | LastErrorException refused) {
            return null;
        }
    }

    private static int call(String function, Object... arguments) {
        return Function.getFunction("c", function, Function.THROW_LAST_ERROR).invokeInt(arguments);
    }

    private static Object deviceOf(Path path) throws IOException {
        return Files.getAttribute(path, "unix:dev", LinkOption.NOFOLLOW_LINKS);
    }

    /** {@return whether this folder is on the same file system} */
    boolean covers(Path other) throws IOException {
        return device.equals(deviceOf(other));
    }

    /** Returns when all is durable that was written before, by whomever. */
    void sync() throws IOException {
        try {
            call("syncfs", descriptor);
        } catch (LastErrorException failed) {
            throw new IOException(
                    "the sync of the file system of " + folder + " failed: " + failed.getMessage(), failed);
        }
    }

    @Override
    public void close() {
        if (descriptor >= 0) {
            call("close", descriptor);
        }
    }
}

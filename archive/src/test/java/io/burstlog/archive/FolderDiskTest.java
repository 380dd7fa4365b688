// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files become durable by one sync of their file system, or each by itself. */
class FolderDiskTest {

    @TempDir
    private Path folder;

    private final List<String> calls = new ArrayList<>();
    private Path mounted;
    private String failure;
    private FolderDisk disk;

    /** Notes what is asked of it, and syncs nothing. */
    private final class Watched extends FileSystemSync {

        Watched() {
            super(folder, "");
        }

        @Override
        boolean covers(Path other) {
            return !other.equals(mounted);
        }

        @Override
        void sync() throws IOException {
            calls.add("sync");
            if (failure != null) {
                throw new IOException(failure);
            }
        }

        @Override
        public void close() {
            calls.add("close");
        }
    }

    @BeforeEach
    void open() {
        disk = new FolderDisk(folder, new Watched());
    }

    @AfterEach
    void close() {
        disk.close();
    }

    /** An archiver at work renames and deletes. */
    @Test
    void aFileThatGoesWhileItsFolderIsReadIsNotListed() throws Exception {
        Path tiles = Files.createDirectory(folder.resolve("tile"));
        List<Path> files = new ArrayList<>();
        for (int number = 0; number < 5000; number++) {
            files.add(Files.createFile(tiles.resolve("file" + number)));
        }
        Thread archiver = new Thread(() -> files.forEach(each -> each.toFile().delete()));
        List<String> odd = new ArrayList<>();
        archiver.start();
        do {
            disk.list("tile").stream().filter(each -> each.endsWith("@")).forEach(odd::add);
        } while (archiver.isAlive());
        assertThat(odd).isEmpty();
        assertThat(disk.list("tile")).isEmpty();
    }

    private List<String> write(int files) throws IOException {
        List<String> names = new ArrayList<>();
        for (int number = 0; number < files; number++) {
            names.add("tile/0/" + Tiles.number(number));
            disk.write(names.get(number), new byte[] {1});
        }
        return names;
    }

    @Test
    void manyFilesAreSyncedByOneCallAndFewEachByItself() throws IOException {
        disk.sync(write(15));
        assertThat(calls).isEmpty();
        disk.sync(write(16));
        assertThat(calls).containsExactly("sync");
    }

    @Test
    void aSyncThatFailsIsTold() throws IOException {
        failure = "Input/output error";
        List<String> names = write(100);
        assertThatThrownBy(() -> disk.sync(names)).hasMessage(failure);
    }

    @Test
    void aFolderOnAnotherFileSystemHasItsFilesSyncedEachByItself() throws IOException {
        mounted = Files.createDirectories(folder.resolve("tile/0"));
        List<String> names = write(100);
        disk.sync(names);
        assertThat(calls).containsExactly("close");
        // So each is opened: a missing one is seen.
        names.add("tile/0/none");
        assertThatThrownBy(() -> disk.sync(names)).hasMessageContaining("tile/0/none");
    }

    @Test
    void foldersOfAKilledProcessAreSyncedByTheNextOne() throws IOException {
        disk.write("tile/0/x001/000", new byte[] {1});
        Set<Path> forced = ConcurrentHashMap.newKeySet();
        try (FolderDisk next = forcing(folder, forced)) {
            next.write("tile/0/x001/001", new byte[] {1});
            next.write("tile/0/x001/002", new byte[] {1});
            next.sync(List.of("tile/0/x001/001", "tile/0/x001/002"));
            assertThat(forced)
                    .containsExactlyInAnyOrder(
                            paths("", "tile", "tile/0", "tile/0/x001", "tile/0/x001/001", "tile/0/x001/002"));
            forced.clear();
            next.write("tile/0/x001/003", new byte[] {1});
            next.sync(List.of("tile/0/x001/003"));
            assertThat(forced).containsExactlyInAnyOrder(paths("tile/0/x001", "tile/0/x001/003"));
        }
    }

    @Test
    void aNewArchiveIsInFoldersWhoseNamesAreDurable() throws IOException {
        Path archive = folder.resolve("years/2026/orders");
        Set<Path> forced = ConcurrentHashMap.newKeySet();
        try (FolderDisk made = forcing(archive, forced)) {
            made.makeItself();
            assertThat(archive).isEmptyDirectory();
            assertThat(forced)
                    .containsExactlyInAnyOrder(
                            folder.resolve("years/2026"), folder.resolve("years"), folder, folder.getParent());
            forced.clear();
            made.makeItself();
            assertThat(forced).containsExactly(folder.resolve("years/2026"));
        }
    }

    @Test
    void aFolderOfOthersThatCannotBeSyncedKeepsNoArchiveFromBeingMade() throws IOException {
        Path archive = folder.resolve("orders");
        try (FolderDisk made = new FolderDisk(archive) {
            @Override
            void force(Path path) throws IOException {
                if (path.equals(folder.getParent())) {
                    throw new IOException("Invalid argument");
                }
                super.force(path);
            }
        }) {
            made.makeItself();
        }
        assertThat(archive).isEmptyDirectory();
    }

    private Path[] paths(String... names) {
        return Stream.of(names).map(folder::resolve).toArray(Path[]::new);
    }

    /** {@return a disk without a sync of its file system, which notes what it makes durable} */
    private static FolderDisk forcing(Path archive, Set<Path> forced) {
        return new FolderDisk(archive) {
            @Override
            void force(Path path) throws IOException {
                super.force(path);
                forced.add(path);
            }
        };
    }

    @Test
    void aFolderThatWasDeletedIsMadeAgain() throws IOException {
        write(1);
        disk.deleteFolder("tile/0");
        write(1);
        assertThat(disk.length("tile/0/000")).isEqualTo(1);
    }

    @Test
    void aShorterFileTakesThePlaceOfALongerOne() throws IOException {
        disk.write("tile/0/000", new byte[9]);
        disk.write("tile/0/000", new byte[] {7});
        disk.append("payload/000.zst", 0, new byte[9], 9);
        disk.append("payload/000.zst", 4, new byte[9], 2);
        assertThat(disk.read("tile/0/000")).containsExactly(7);
        assertThat(disk.length("payload/000.zst")).isEqualTo(6);
    }

    @Test
    void theFileSystemOfThisFolderIsSynced() throws IOException {
        try (FileSystemSync real = FileSystemSync.of(folder)) {
            if (real != null) {
                write(20);
                real.sync();
                assertThat(real.covers(folder.resolve("tile"))).isTrue();
                assertThat(real.covers(Path.of("/proc"))).isFalse();
            }
            String type = Files.getFileStore(folder).type();
            assertThat(real != null)
                    .isEqualTo(FileSystemSync.isTrusted(type)
                            && FileSystemSync.tellsErrors(
                                    System.getProperty("os.name"), System.getProperty("os.version")));
        }
    }

    @Test
    void whatTheKernelAnswersIsTold() {
        FileSystemSync withoutDescriptor = new FileSystemSync(folder, "");
        assertThatThrownBy(withoutDescriptor::sync)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("the sync of the file system of " + folder + " failed: ");
    }

    @Test
    void onlyKernelsThatTellErrorsAreAskedAndOnlyFileSystemsOfTheHost() {
        assertThat(FileSystemSync.tellsErrors("Linux", "5.8.0-1-amd64")).isTrue();
        assertThat(FileSystemSync.tellsErrors("Linux", "6.1")).isTrue();
        assertThat(FileSystemSync.tellsErrors("Linux", "10.0.1")).isTrue();
        assertThat(FileSystemSync.tellsErrors("Linux", "5.7.19")).isFalse();
        assertThat(FileSystemSync.tellsErrors("Linux", "4.18.0-553.el8")).isFalse();
        assertThat(FileSystemSync.tellsErrors("Linux", "strange")).isFalse();
        assertThat(FileSystemSync.tellsErrors("Mac OS X", "14.5")).isFalse();
        assertThat(FileSystemSync.isTrusted("ext4")).isTrue();
        assertThat(FileSystemSync.isTrusted("XFS")).isTrue();
        for (String other : List.of("nfs4", "fuse.sshfs", "overlay", "9p", "cifs", "tmpfs")) {
            assertThat(FileSystemSync.isTrusted(other)).as(other).isFalse();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SyncTraceTest {

    private static final String BEGIN = "10 newfstatat(AT_FDCWD, \"/mark/begin\", 0x7, 0) = -1 ENOENT (No such file)";
    private static final String END = "10 newfstatat(AT_FDCWD, \"/mark/end\", 0x7, 0) = -1 ENOENT (No such file)";

    private static Map<String, Object> between(String... calls) {
        List<String> lines = new java.util.ArrayList<>(List.of(
                "10 openat(AT_FDCWD, \"/d/sync.log\", O_RDWR|O_CREAT|O_DSYNC, 0666) = 5</d/sync.log>",
                "10 openat(AT_FDCWD, \"/d/direct.ring\", O_RDWR|O_DIRECT) = 6</d/direct.ring>",
                "10 openat(AT_FDCWD, \"/d/plain.log\", O_WRONLY|O_CREAT, 0666) = 7</d/plain.log>",
                "10 fdatasync(7</d/plain.log>) = 0",
                BEGIN));
        lines.addAll(List.of(calls));
        lines.add(END);
        lines.add("10 write(7</d/plain.log>, \"x\", 1) = 1");
        return SyncTrace.read(lines, file -> file.startsWith("/d/")).toJson("any");
    }

    @Test
    void onlyCallsBetweenTheMarksCount() {
        assertThat(between()).containsEntry("writes", 0).containsEntry("syncs", 0);
    }

    @Test
    void syncsOfAllThreadsCount() {
        assertThat(between(
                        "10 write(7</d/plain.log>, \"x\", 1) = 1",
                        "11 fsync(7</d/plain.log>) = 0",
                        "12 fdatasync(7</d/plain.log> <unfinished ...>",
                        "12 <... fdatasync resumed>) = 0"))
                .containsEntry("writes", 1)
                .containsEntry("syncs", 2)
                .containsEntry("durableWrites", 0);
    }

    @Test
    void aWriteIsDurableByTheFlagsOfItsFileOrByItsOwn() {
        assertThat(between(
                        "10 write(5</d/sync.log>, \"x\", 1) = 1",
                        "10 pwritev2(6</d/direct.ring>, [{iov_base=\"x\", iov_len=4096}], 1, 0, RWF_DSYNC) = 4096",
                        "10 pwrite64(6</d/direct.ring>, \"x\"..., 4096, 0) = 4096"))
                .containsEntry("writes", 3)
                .containsEntry("durableWrites", 2)
                .containsEntry("directWrites", 1);
    }

    @Test
    void otherFilesDoNotCount() {
        assertThat(between("10 write(1</dev/null>, \"x\", 1) = 1", "10 fsync(9</else/where>) = 0"))
                .containsEntry("writes", 0)
                .containsEntry("syncs", 0);
    }

    @Test
    void anMsyncThatDoesNotWaitIsNoSync() {
        assertThat(between(
                        "10 msync(0x7f0000000000, 4096, MS_ASYNC) = 0",
                        "10 msync(0x7f0000000000, 4096, MS_SYNC) = 0",
                        "10 msync(0x7f0000000000, 4096, MS_ASYNC) = 0"))
                .containsEntry("waitingMsyncs", 1)
                .containsEntry("otherMsyncs", 2);
    }

    @Test
    void aMappedFileIsSeen() {
        assertThat(between()).containsEntry("mapped", false);
        assertThat(between(
                        "10 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 7</d/plain.log>, 0) = 0x7f0000000000"))
                .containsEntry("mapped", true);
        assertThat(between("10 mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 7</d/plain.log>, 0) = 0x7f0000000000"))
                .containsEntry("mapped", false);
    }

    @Test
    void aTraceWithoutBothMarksIsRefused() {
        assertThatThrownBy(() -> SyncTrace.read(List.of(BEGIN), file -> true)).hasMessageContaining("both marks");
        assertThatThrownBy(() -> SyncTrace.read(List.of(END), file -> true)).hasMessageContaining("both marks");
    }
}

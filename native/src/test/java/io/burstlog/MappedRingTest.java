// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A ring in mapped memory, in a JVM that handles SIGBUS in its own way. */
@EachBinding
class MappedRingTest {

    private static final Path MEMORY = Path.of("/dev/shm");
    private static final int PAGE_BYTES = 4096;
    private static final int HEADER_BYTES = 1 << 20;

    private final Binding binding;
    private TempLog temp;

    MappedRingTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void createDirectoryInMemory() throws IOException {
        Skip.unless(
                Files.isDirectory(MEMORY) && Files.getFileStore(MEMORY).type().equals("tmpfs"),
                MEMORY + " is no memory that can be mapped");
        temp = new TempLog(Files.createTempDirectory(MEMORY, "burst-mapped"), binding);
    }

    @AfterEach
    void removeDirectory() throws IOException {
        if (temp == null) {
            return;
        }
        try (Stream<Path> all = Files.walk(temp.directory())) {
            for (Path path : (Iterable<Path>) all.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(path);
            }
        }
    }

    private BurstConfig.Builder mapped() {
        return temp.config().io(Io.MAPPED);
    }

    @Test
    void recordsReachTheLogFileThroughAMappedRing() throws IOException {
        for (int session = 1; session <= 2; session++) {
            try (BurstLog log = BurstLog.open(mapped().build())) {
                assertThat(log.append(TempLog.line("order " + session))).isEqualTo(session);
            }
        }
        assertThat(temp.lines()).containsExactly("order 1", "order 2");
    }

    @Test
    void anyOtherWayOfWritingItIsRefused() {
        BurstLog.open(mapped().build()).close();
        assertThatExceptionOfType(BurstException.class)
                .isThrownBy(() -> BurstLog.open(temp.config().io(Io.PWRITE).build()))
                .withMessageContaining("open it with io=mapped");
    }

    @Test
    void moreThanItSurvivesIsRefused() {
        BurstConfig config = mapped().durability(Durability.OS_CRASH).build();
        assertThatExceptionOfType(BurstException.class)
                .isThrownBy(() -> BurstLog.open(config))
                .withMessageContaining("survives process");
        assertThat(temp.ring()).doesNotExist();
    }

    @Test
    void whenItIsCutUnderneathAppendsThrowAndTheJvmLivesOn() throws IOException {
        BurstLog log = BurstLog.open(mapped().build());
        log.append(TempLog.line("order 1"));
        cut(temp.ring(), HEADER_BYTES + PAGE_BYTES);
        assertThatExceptionOfType(RingFailedException.class).isThrownBy(() -> {
            while (true) {
                log.append(TempLog.line("order"));
            }
        });
        closeFailed(log);
        try (BurstLog next = BurstLog.open(
                mapped().ring(temp.directory().resolve("next.ring").toString()).build())) {
            assertThat(next.append(TempLog.line("order 2"))).isEqualTo(1);
        }
    }

    @Test
    void aFaultInABufferOfTheApplicationIsStillAnErrorOfTheApplication() throws IOException {
        try (BurstLog log = BurstLog.open(mapped().build())) {
            log.append(TempLog.line("order 1"));
            Path file = temp.directory().resolve("application");
            Files.write(file, new byte[2 * PAGE_BYTES]);
            MappedByteBuffer buffer;
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                buffer = channel.map(FileChannel.MapMode.READ_ONLY, 0, 2 * PAGE_BYTES);
            }
            cut(file, PAGE_BYTES);
            assertThatThrownBy(() -> readEverything(buffer)).isInstanceOf(InternalError.class);
            assertThat(log.append(TempLog.line("order 2"))).isEqualTo(2);
        }
    }

    /** This thread or the drain notices the failure first: that decides whether a record was accepted before. */
    private static void closeFailed(BurstLog log) {
        try {
            log.close();
        } catch (RingFailedException recordsWereUnderWay) {
            assertThat(recordsWereUnderWay).hasMessageContaining("has failed");
        }
    }

    private static int readEverything(MappedByteBuffer buffer) {
        int sum = 0;
        for (int i = 0; i < buffer.capacity(); i++) {
            sum += buffer.get(i);
        }
        return sum;
    }

    private static void cut(Path file, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(bytes);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstConsumer;
import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.bookkeeper.CopierStats.State;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The life of a copier, with a copy in memory: {@link BookKeeperIT} has bookies. */
@Timeout(120)
class CopierTest {

    @TempDir
    Path directory;

    private final Queue<BurstEvent> told = new ConcurrentLinkedQueue<>();
    private final MemoryCopy copy = new MemoryCopy();

    private CopierConfig config(WrittenStream stream, String consumer) {
        return CopierConfig.builder()
                .folder(stream.folder().toString())
                .consumer(consumer)
                .blockBytes(4096)
                .property("metadataServiceUri", "zk+hierarchical://nowhere/ledgers")
                .listener(told::add)
                .build();
    }

    private Copier start(WrittenStream stream) {
        return Copier.start(config(stream, "to-copy"), (folder, acknowledging) -> copy.writer(acknowledging));
    }

    private void await(BooleanSupplier condition) throws InterruptedException {
        for (long begin = System.nanoTime(); !condition.getAsBoolean(); Thread.sleep(5)) {
            assertThat(System.nanoTime() - begin)
                    .as("%s", told)
                    .isLessThan(Duration.ofSeconds(60).toNanos());
        }
    }

    private void awaitTold(BurstEvent.Severity severity, String words) throws InterruptedException {
        await(() -> told.stream()
                .anyMatch(event -> event.severity() == severity && event.text().contains(words)));
    }

    private void assertAllOnce(WrittenStream stream) {
        assertThat(copy.entries())
                .extracting(Blocks::text)
                .isEqualTo(LongStream.rangeClosed(1, stream.written())
                        .mapToObj(each -> "record " + each)
                        .toList());
    }

    @Test
    void each_record_is_copied_once_over_restarts_and_failures() throws Exception {
        try (WrittenStream stream = new WrittenStream(directory)) {
            stream.write(500);
            try (Copier copier = start(stream)) {
                stream.awaitCopied(copier);
                awaitTold(BurstEvent.Severity.INFO, "from number 1 on");
                copy.fail(1);
                stream.write(500);
                stream.awaitCopied(copier);
                awaitTold(BurstEvent.Severity.WARN, "for the moment: the block was lost");
                await(() -> copier.stats().state() == State.COPYING);
                assertThat(copier.stats().failures()).isEqualTo(1);
            }
            stream.write(500);
            try (Copier copier = start(stream)) {
                stream.awaitCopied(copier);
            }
            assertAllOnce(stream);
        }
    }

    @Test
    void a_second_writer_ends_the_first_with_an_error() throws Exception {
        try (WrittenStream stream = new WrittenStream(directory)) {
            stream.write(10);
            try (Copier first = start(stream)) {
                stream.awaitCopied(first);
                copy.writer(block -> {}).fence();
                assertThat(first.awaitEnd(Duration.ofSeconds(60))).isTrue();
                assertThat(first.failure()).contains("another copier of this folder has begun (as the test wants)");
                assertThat(first.stats().state()).isEqualTo(State.FAILED);
                awaitTold(BurstEvent.Severity.ERROR, "gets no more records from here");
            }
            assertAllOnce(stream);
        }
    }

    @Test
    void a_copier_that_is_told_to_finish_copies_all_that_is_there() throws Exception {
        try (WrittenStream stream = new WrittenStream(directory)) {
            Copier copier = start(stream);
            stream.write(2000);
            copier.close(Duration.ofSeconds(60));
            assertThat(copier.stats().state()).isEqualTo(State.CLOSED);
            assertAllOnce(stream);
            assertThat(told).noneMatch(event -> event.severity() != BurstEvent.Severity.INFO);
        }
    }

    @Test
    void a_copy_that_has_lost_its_end_gets_it_again() throws Exception {
        try (WrittenStream stream = new WrittenStream(directory)) {
            stream.write(100);
            try (Copier copier = start(stream)) {
                stream.awaitCopied(copier);
            }
            stream.write(100);
            try (Copier copier = start(stream)) {
                stream.awaitCopied(copier);
            }
            copy.lose(1);
            try (Copier copier = start(stream)) {
                stream.awaitCopied(copier);
                awaitTold(BurstEvent.Severity.WARN, "has lost the records with numbers ");
            }
            assertAllOnce(stream);
        }
    }

    /** A ring and a folder of an older state give numbers again. */
    @Test
    void a_folder_that_was_turned_back_is_not_copied() throws Exception {
        try (WrittenStream stream = new WrittenStream(directory)) {
            stream.write(10);
            Copy other = copy.writer(block -> {});
            other.fence();
            other.send(Blocks.of(1, 9));
            other.send(Blocks.of(new Block.Entry(
                    Blocks.record(1).kind(), 10, 4711, 0, 1, Blocks.record(11).data())));
            try (Copier copier = start(stream)) {
                assertThat(copier.awaitEnd(Duration.ofSeconds(60))).isTrue();
                assertThat(copier.failure()).contains("its record number 10 is another one there");
            }
        }
    }

    /** The folder lets go of what is copied, and of nothing else. */
    @Test
    void only_what_is_acknowledged_is_let_go() throws Exception {
        try (WrittenStream stream = new WrittenStream(directory)) {
            stream.write(100);
            try (Copier copier = start(stream)) {
                stream.awaitCopied(copier);
                copy.fail(Integer.MAX_VALUE);
                stream.write(100);
                awaitTold(BurstEvent.Severity.WARN, "for the moment");
                await(() -> copier.stats().failures() > 3);
                assertThat(copier.stats().copiedNumber()).isEqualTo(100);
            }
            copy.lose(1);
            copy.fail(0);
            try (Copier copier = start(stream)) {
                stream.awaitCopied(copier);
            }
            assertThat(copy.entries().get(copy.entries().size() - 1).number()).isEqualTo(200);
            assertThat(BurstConsumer.look(stream.folder().toString()))
                    .singleElement()
                    .satisfies(each -> assertThat(each.acknowledged()).isEqualTo(200));
        }
    }

    @Test
    void a_folder_that_is_begun_anew_is_copied_by_itself() throws Exception {
        Path old = directory.resolve("old");
        WrittenStream first = new WrittenStream(directory);
        first.write(10);
        try (Copier copier = start(first)) {
            first.awaitCopied(copier);
            first.close();
            Files.move(first.folder(), old);
            copy.lose(1);
            Files.createDirectory(first.folder());
            Files.createFile(first.folder().resolve("head"));
            try (WrittenStream second = new WrittenStream(directory)) {
                second.write(5);
                awaitTold(BurstEvent.Severity.WARN, "goes on by itself with what is there now");
                await(() -> copy.entries().size() == 5);
            }
        }
    }

    @Test
    void a_wrong_configuration_is_told_in_a_sentence() {
        assertThatThrownBy(() -> CopierConfig.builder().build()).hasMessageContaining("folder is missing");
        assertThatThrownBy(() -> CopierConfig.builder().folder("x").build())
                .isInstanceOf(BurstException.class)
                .hasMessageContaining("metadataServiceUri is missing");
        assertThatThrownBy(() -> CopierConfig.builder()
                        .folder("x")
                        .property("metadataServiceUri", "zk://x")
                        .blockBytes(5 << 20)
                        .build())
                .hasMessageContaining("blockBytes is 5242880; set it to 1 to 4194304.");
    }
}

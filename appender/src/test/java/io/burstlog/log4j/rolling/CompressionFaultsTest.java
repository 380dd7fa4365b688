// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.burstlog.log4j.rolling.FaultyFiles.Fault;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A compression whose first call fails, then its second, and so on; or whose process ends there. */
class CompressionFaultsTest {

    private static final String PLAIN = "app-1.log";
    private static final String TWIN = PLAIN + ".gz";
    private static final String BEGINNING = "." + TWIN + CompressAction.TEMPORARY_SUFFIX;

    private static final Compressor GZ = Compressor.gz(1);

    @TempDir
    Path folder;

    private String content;

    private CompressAction action(final Path file) {
        return new CompressAction(
                file, file, file.resolveSibling(TWIN), null, GZ, new ReentrantLock(), new NameWarning("Orders"));
    }

    private List<String> names() throws IOException {
        try (var all = Files.list(folder)) {
            return all.map(one -> one.getFileName().toString()).sorted().toList();
        }
    }

    private String twin() throws IOException {
        try (InputStream in = GZ.decompress(Files.newInputStream(folder.resolve(TWIN)))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The file is there, or its twin, or both, and each is whole. */
    private void requireWhole(final String when) throws IOException {
        assertThat(names()).as(when).isSubsetOf(PLAIN, TWIN, BEGINNING).containsAnyOf(PLAIN, TWIN);
        if (names().contains(PLAIN)) {
            assertThat(folder.resolve(PLAIN)).as(when).hasContent(content);
        }
        if (names().contains(TWIN)) {
            assertThat(twin()).as(when).isEqualTo(content);
        }
    }

    @Test
    void each_step_is_durable_before_the_next_one() throws Exception {
        content = "order 1\n";
        Files.writeString(folder.resolve(PLAIN), content);
        final FaultyFiles files = new FaultyFiles(Fault.ONCE, 0, "never");
        action(files.faulty(folder.resolve(PLAIN))).execute();
        assertThat(files.durable)
                .containsSubsequence(
                        "sync " + BEGINNING, "link " + TWIN, "sync " + folder.getFileName(), "delete " + PLAIN);
    }

    @Test
    void a_file_that_went_although_its_deletion_failed_has_its_twin() throws Exception {
        content = "order 1\n";
        int gone = 0;
        boolean struck = true;
        for (int step = 1; struck; step++) {
            Files.deleteIfExists(folder.resolve(TWIN));
            Files.writeString(folder.resolve(PLAIN), content);
            final FaultyFiles files = new FaultyFiles(Fault.ONCE_DONE, step, "Input/output error");
            try {
                action(files.faulty(folder.resolve(PLAIN))).execute();
            } catch (final CompressAction.Failure told) {
                gone += names().contains(PLAIN) ? 0 : 1;
            }
            struck = files.hasStruck();
            requireWhole("done and failed at call " + step);
        }
        assertThat(gone).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Input/output error", "made again"})
    void a_call_that_was_done_and_reports_an_error_leaves_one_name(final String reason) throws Exception {
        content = "order 1\n";
        boolean struck = true;
        for (int step = 1; struck; step++) {
            for (final String name : names()) {
                Files.delete(folder.resolve(name));
            }
            Files.writeString(folder.resolve(PLAIN), content);
            final FaultyFiles files = new FaultyFiles(Fault.ONCE_DONE, step, reason);
            String told = "";
            try {
                action(files.faulty(folder.resolve(PLAIN))).execute();
            } catch (final CompressAction.Failure failure) {
                told = failure.toString();
            }
            struck = files.hasStruck();
            assertThat(names().stream().filter(name -> !name.equals(BEGINNING)))
                    .as("done and failed at call " + step + ", " + told)
                    .hasSize(1)
                    .first()
                    .isIn(PLAIN, TWIN);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ONCE_DONE")
    void whatever_happens_the_file_or_its_twin_is_whole_and_in_the_end_there_is_the_twin(final Fault fault)
            throws Exception {
        final Random random = new Random(1);
        final StringBuilder lines = new StringBuilder();
        while (lines.length() < 200_000) {
            lines.append(random.nextLong()).append('\n');
        }
        content = lines.toString();
        boolean struck = true;
        int step = 0;
        while (struck) {
            final String when = fault + " at call " + ++step;
            Files.deleteIfExists(folder.resolve(TWIN));
            Files.writeString(folder.resolve(PLAIN), content);
            final FaultyFiles files = new FaultyFiles(fault, step, "No space left on device");
            try {
                action(files.faulty(folder.resolve(PLAIN))).execute();
            } catch (final CompressAction.Failure told) {
                assertThat(fault).as(when).isIn(Fault.ONCE, Fault.FOREVER);
                assertThat(told).as(when).hasMessageContaining("No space left on device");
            } catch (final FaultyFiles.Dead asWanted) {
                assertThat(fault).as(when).isIn(Fault.DEAD_BEFORE, Fault.DEAD_AFTER);
            } catch (final IOException notTriedAgain) {
                fail(when, notTriedAgain);
            }
            struck = files.hasStruck();
            requireWhole(when);
            if (fault == Fault.ONCE) {
                // With both, a strategy would give them different names.
                assertThat(names().containsAll(List.of(PLAIN, TWIN))).as(when).isFalse();
            }

            // The next start; or, in the same process, the next attempt.
            if (fault == Fault.DEAD_BEFORE || fault == Fault.DEAD_AFTER) {
                Files.deleteIfExists(folder.resolve(BEGINNING));
            }
            if (names().contains(PLAIN)) {
                action(folder.resolve(PLAIN)).execute();
            }
            assertThat(names()).as(when).containsExactly(TWIN);
            assertThat(twin()).as(when).isEqualTo(content);
        }
        assertThat(step).isGreaterThan(20);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** At each moment there is the file, its compressed twin, or both, and each is whole. */
class CompressActionTest {

    private static final String CONTENT = "order 4711 of ACME\n".repeat(10_000);

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void create() throws IOException {
        file = Files.writeString(folder.resolve("app-1.log"), CONTENT);
    }

    private CompressAction action(final String suffix, final Compressor compressor, final Path temporary) {
        return new CompressAction(
                file,
                file,
                folder.resolve("app-1.log" + suffix),
                temporary,
                compressor,
                new ReentrantLock(),
                new NameWarning("Orders"));
    }

    private CompressAction action(final String suffix) {
        return action(suffix, Compressor.ofSuffix(suffix, 6), null);
    }

    private List<String> names() throws IOException {
        try (var all = Files.list(folder)) {
            return all.map(one -> one.getFileName().toString()).sorted().toList();
        }
    }

    private String unpacked(final String name, final Compressor compressor) throws IOException {
        try (InputStream in = compressor.decompress(Files.newInputStream(folder.resolve(name)))) {
            return new String(in.readAllBytes());
        }
    }

    /** Runs a step while the file is being compressed. */
    private static Compressor interruptedBy(final Runnable step) {
        final Compressor gz = Compressor.gz(6);
        return new Compressor() {
            @Override
            public OutputStream compress(final OutputStream out, final String entry) throws IOException {
                return new FilterOutputStream(gz.compress(out, entry)) {
                    @Override
                    public void close() throws IOException {
                        step.run();
                        super.close();
                    }
                };
            }

            @Override
            public InputStream decompress(final InputStream in) throws IOException {
                return gz.decompress(in);
            }
        };
    }

    private static void move(final Path from, final Path to) {
        try {
            Files.move(from, to);
        } catch (final IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @ParameterizedTest
    @CsvSource({".gz, 1f8b", ".zip, 504b", ".bz2, 425a", ".xz, fd37", ".zst, 28b5", ".deflate, 789c"})
    void the_twin_replaces_the_file(final String suffix, final String magic) throws Exception {
        final FileTime written = FileTime.from(Instant.parse("2026-01-02T03:04:05Z"));
        Files.setLastModifiedTime(file, written);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(action(suffix).execute()).isTrue();
        assertThat(names()).containsExactly("app-1.log" + suffix);
        assertThat(unpacked("app-1.log" + suffix, Compressor.ofSuffix(suffix, 6)))
                .isEqualTo(CONTENT);
        final Path twin = folder.resolve("app-1.log" + suffix);
        assertThat(HexFormat.of().formatHex(Files.readAllBytes(twin), 0, 2)).isEqualTo(magic);
        assertThat(Files.getLastModifiedTime(twin)).isEqualTo(written);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(twin)))
                .isEqualTo("rw-r-----");
    }

    @Test
    void an_entry_of_a_zip_has_the_name_of_the_file() throws Exception {
        action(".zip").execute();
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(folder.resolve("app-1.log.zip")))) {
            assertThat(zip.getNextEntry().getName()).isEqualTo("app-1.log");
        }
    }

    @Test
    void until_it_is_whole_the_twin_has_another_name() throws Exception {
        final List<List<String>> seen = new java.util.ArrayList<>();
        final Compressor looks = interruptedBy(() -> {
            try {
                seen.add(names());
            } catch (final IOException failure) {
                throw new UncheckedIOException(failure);
            }
        });
        action(".gz", looks, null).execute();
        action(".gz", looks, null);
        assertThat(seen.get(0)).containsExactly(".app-1.log.gz.burst-tmp", "app-1.log");
    }

    @Test
    void a_temporary_name_of_the_configuration_is_used() throws Exception {
        final Path temporary = folder.resolve("work/app-1.tmp");
        final boolean[] isThere = new boolean[1];
        action(".gz", interruptedBy(() -> isThere[0] = Files.exists(temporary)), temporary)
                .execute();
        assertThat(isThere[0]).isTrue();
        assertThat(temporary).doesNotExist();
        assertThat(names()).contains("app-1.log.gz").doesNotContain("app-1.log");
    }

    @Test
    void a_strategy_may_shift_the_names_meanwhile() throws Exception {
        action(".gz", interruptedBy(() -> move(file, folder.resolve("app-2.log"))), null)
                .execute();
        assertThat(names()).containsExactly("app-2.log.gz");
        assertThat(unpacked("app-2.log.gz", Compressor.gz(6))).isEqualTo(CONTENT);
    }

    @Test
    void another_file_under_its_old_name_is_left_alone() throws Exception {
        final CompressAction action = action(".gz");
        move(file, folder.resolve("app-2.log"));
        Files.writeString(file, "newer\n");
        action.execute();
        assertThat(names()).containsExactly("app-1.log", "app-2.log.gz");
        assertThat(file).hasContent("newer\n");
    }

    @Test
    void a_file_that_was_deleted_meanwhile_does_not_come_back() throws Exception {
        final CompressAction action = action(
                ".gz",
                interruptedBy(() -> {
                    try {
                        Files.delete(file);
                    } catch (final IOException failure) {
                        throw new UncheckedIOException(failure);
                    }
                }),
                null);
        assertThat(action.execute()).isFalse();
        assertThat(names()).isEmpty();
    }

    @Test
    void a_file_that_is_gone_is_nothing_to_compress() throws Exception {
        final CompressAction action = action(".gz");
        Files.delete(file);
        assertThat(action.execute()).isFalse();
        assertThat(names()).isEmpty();
    }

    @Test
    void a_twin_with_other_content_is_not_replaced() throws Exception {
        Files.writeString(folder.resolve("app-1.log.gz"), "truncated by a crash");
        action(".gz").execute();
        assertThat(names()).containsExactly("app-1.log.gz", "app-1.log.gz.1");
        assertThat(folder.resolve("app-1.log.gz")).hasContent("truncated by a crash");
        assertThat(unpacked("app-1.log.gz.1", Compressor.gz(6))).isEqualTo(CONTENT);
    }

    @Test
    void of_a_file_whose_twin_is_whole_only_the_twin_stays() throws Exception {
        try (OutputStream out =
                Compressor.gz(9).compress(Files.newOutputStream(folder.resolve("app-1.log.gz")), "app-1.log")) {
            out.write(CONTENT.getBytes());
        }
        action(".gz").execute();
        assertThat(names()).containsExactly("app-1.log.gz");
    }

    @Test
    void if_it_fails_the_file_stays_and_nothing_else() throws Exception {
        final Compressor full = interruptedBy(() -> {
            throw new UncheckedIOException(new IOException("No space left on device"));
        });
        assertThatThrownBy(action(".gz", full, null)::execute)
                .isInstanceOf(CompressAction.Failure.class)
                .hasMessageContaining("app-1.log")
                .hasMessageContaining("No space left");
        assertThat(names()).containsExactly("app-1.log");
        assertThat(file).hasContent(CONTENT);
    }

    @Test
    void a_library_that_is_not_there_is_said_to_be_missing() {
        assertThat(Compressor.ofCommons("no-such-format").reasonItIsMissing()).contains("no-such-format");
        assertThat(Compressor.ofCommons("xz").reasonItIsMissing()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {".gz", ".zip", ".bz2", ".xz", ".zst", ".deflate"})
    void all_but_pack200_keep_text(final String suffix) {
        assertThat(Compressor.ofSuffix(suffix, 6).reasonItIsMissing()).isNull();
        assertThat(Compressor.ofSuffix(".pack200", 6).reasonItIsMissing()).isNotNull();
    }
}

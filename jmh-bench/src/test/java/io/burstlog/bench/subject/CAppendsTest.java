// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Target;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The protocol of append_bench, with a script in its place. */
@Timeout(60)
class CAppendsTest {

    /** In its n-th block each append takes n nanoseconds, and each bare write n + 256. */
    private static final String COUNTING = """
            #!/bin/sh
            block=0
            while read -r line; do
              if [ "$line" = drain ]; then
                printf '\\001\\000\\000\\000\\000\\000\\000\\000'
                continue
              fi
              block=$((block + 1))
              low=$(printf '%03o' $block)
              for high in 000 001; do
                for i in $(seq "$line"); do
                  printf "\\\\$low\\\\$high\\000\\000\\000\\000\\000\\000"
                done
              done
            done
            """;

    @TempDir
    private Path directory;

    private Media media(String script) throws Exception {
        assumeTrue(
                ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN,
                "the script writes numbers of a little-endian machine");
        Path program = Files.createFile(
                directory.resolve("append_bench"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        Files.writeString(program, script);
        return new Media(new Options(List.of("--dir", directory.toString(), "--append-bench", program.toString())));
    }

    private static long[] run(Target target, int first) throws Exception {
        long[] nanos = new long[2];
        target.run(first, nanos);
        return nanos;
    }

    @Test
    void appendsAndBareWritesOfARoundAreOfTheSameBlockWhicheverComesFirst() throws Exception {
        try (Targets targets = new Targets(media(COUNTING))) {
            Target bare = targets.open("bare@ssd");
            Target appends = targets.open("c@ssd");

            // The rounds ask so: lead-in and block of one target, then of the other; the next time the other way round.
            assertThat(run(bare, 0)).containsExactly(257, 257);
            assertThat(run(bare, 2)).containsExactly(258, 258);
            bare.settle();
            assertThat(run(appends, 0)).containsExactly(1, 1);
            assertThat(run(appends, 2)).containsExactly(2, 2);
            appends.settle();
            assertThat(run(appends, 4)).containsExactly(3, 3);
            assertThat(run(bare, 4)).containsExactly(259, 259);
        }
    }

    @Test
    void oneOfTheTwoAloneIsMeasuredAnewEachTime() throws Exception {
        try (Targets targets = new Targets(media(COUNTING))) {
            Target appends = targets.open("c@ssd");

            assertThat(run(appends, 0)).containsExactly(1, 1);
            assertThat(run(appends, 0)).containsExactly(2, 2);
        }
    }

    @Test
    void anEmptyLeadInAsksForNothing() throws Exception {
        try (Targets targets = new Targets(media(COUNTING))) {
            Target appends = targets.open("c@ssd");

            appends.run(0, new long[0]);

            assertThat(run(appends, 0)).containsExactly(1, 1);
        }
    }

    @Test
    void aChildThatCannotOpenItsRingIsSkippedWithWhatItSaid() throws Exception {
        String refusing = "#!/bin/sh\necho 'append_bench: open: the ring is in use' >&2\nexit 1\n";

        try (Targets targets = new Targets(media(refusing))) {
            assertThatThrownBy(() -> targets.open("c@ssd"))
                    .isInstanceOf(Media.NotPossible.class)
                    .hasMessageContaining("the ring is in use");
        }
    }

    @Test
    void aProgramThatIsNotBuiltIsSkipped() throws Exception {
        Media media = new Media(new Options(List.of("--dir", directory.toString(), "--append-bench", "missing")));

        assertThatThrownBy(() -> new Targets(media).open("c@ssd"))
                .isInstanceOf(Media.NotPossible.class)
                .hasMessageContaining("is not built");
    }
}

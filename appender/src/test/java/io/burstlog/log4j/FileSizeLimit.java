// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Makes this process unable to write beyond an offset in any file: the write fails with EFBIG. That needs no privilege
 * and no special file system. If the offset is the ring's size it stalls the log file and spares the ring; a smaller
 * one fails the ring.
 */
final class FileSizeLimit implements AutoCloseable {

    private FileSizeLimit() {}

    static FileSizeLimit of(final long bytes) {
        set(Long.toString(bytes));
        return new FileSizeLimit();
    }

    private static void set(final String bytes) {
        final String pid = Long.toString(ProcessHandle.current().pid());
        try {
            final Process prlimit = new ProcessBuilder("prlimit", "--pid", pid, "--fsize=" + bytes + ":")
                    .inheritIO()
                    .start();
            assertThat(prlimit.waitFor(1, TimeUnit.MINUTES)).isTrue();
            Skipped.unless(prlimit.exitValue() == 0, "prlimit cannot limit this process");
        } catch (final IOException missing) {
            Skipped.unless(false, "no prlimit here, so that no write can be made to fail: " + missing);
        } catch (final InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    @Override
    public void close() {
        set("unlimited");
    }
}

// SPDX-License-Identifier: Apache-2.0
package examples.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** Makes this process unable to write to any file: each write fails with EFBIG. It needs no privilege. */
final class FailingDisk {
    private FailingDisk() {}

    interface Action {
        void run() throws Exception;
    }

    /** Pulls the disk while the action runs. Skips the test loudly where that cannot be done. */
    static void during(Action action) throws Exception {
        if (!limit("1")) {
            System.err.println("SKIPPED: prlimit cannot make the writes of this process fail");
            Assumptions.abort("prlimit cannot make the writes of this process fail");
        }
        try {
            action.run();
        } finally {
            limit("unlimited");
        }
    }

    /** {@return whether it could be done} */
    static boolean limit(String bytes) throws IOException, InterruptedException {
        String pid = Long.toString(ProcessHandle.current().pid());
        Process prlimit = new ProcessBuilder("prlimit", "--pid", pid, "--fsize=" + bytes + ":")
                .inheritIO()
                .start();
        assertThat(prlimit.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return prlimit.exitValue() == 0;
    }
}

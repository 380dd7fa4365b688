// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.jmh;

import io.burstlog.bench.subject.Media;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * The reason why a benchmark cannot run here, in one line: JMH prints it as it is, and goes on with the next benchmark.
 */
final class CannotRun extends Exception {

    private static final long serialVersionUID = 1;

    CannotRun(BenchmarkParams run, String why) {
        super("!!!! SKIPPED: " + named(run) + ": " + why, null, false, false);
    }

    /** All but a lack of the host is a failure, which is reported with all its details. */
    static Exception because(BenchmarkParams run, Exception reason) {
        return reason instanceof Media.NotPossible || reason instanceof IllegalArgumentException
                ? new CannotRun(run, reason.getMessage())
                : reason;
    }

    private static String named(BenchmarkParams run) {
        String name = run.getBenchmark();
        StringBuilder text = new StringBuilder(name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1));
        run.getParamsKeys()
                .forEach(key -> text.append(' ').append(key).append('=').append(run.getParam(key)));
        return text.toString();
    }

    @Override
    public String toString() {
        return getMessage();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A program written for Log4j 1 logs through {@code log4j-1.2-api} and {@code <Burst>}. */
@Timeout(120)
class Log4j1IT {
    private static final int LINES = 20;

    @Test
    void aCallThatReturnedHasItsEventInTheLogFileAfterTheNextStart() throws Exception {
        Installation installation = Installation.fresh("log4j1");
        Acknowledged halted = run(installation, 1, true);
        Acknowledged ended = run(installation, 2, false);
        LogFile file = LogFile.read(installation.file());
        file.holdsWhatWasAcknowledged(List.of(halted, ended), 1);
        assertThat(file.lines()).isEqualTo(2 * LINES);
    }

    private static Acknowledged run(Installation installation, int run, boolean isHalted) throws Exception {
        Process child = ChildJvm.start(installation, LogsThroughLog4j1.class, "" + run, "" + LINES, "" + isHalted);
        Acknowledged said = new Acknowledged(child);
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).as("the child ends").isTrue();
        said.awaitEnd();
        assertThat(said.lastNumber(1))
                .as("acknowledged, see %s", installation.errors())
                .isEqualTo(LINES);
        return said;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Eight threads log through Log4j into one ring and one file, and die again and again. {@link KillJvm} does more. */
class KillThroughLog4jIT {
    private static final int KILLS = Integer.getInteger("kill.rounds", 12);

    private final long seed = Long.getLong("kill.seed", System.nanoTime());

    @Test
    @Timeout(600)
    void everyAcknowledgedLineIsInTheFileOnceAndInOrderAfterManyKills() throws Exception {
        System.out.println("kill.seed=" + seed);
        KillRounds rounds = new KillRounds(seed, "kill", List.of());
        rounds.run(KILLS, Long.MAX_VALUE);
        System.out.printf(
                "%d kills %s: %,d lines acknowledged, each in the file once%n",
                KILLS, rounds.hits(), rounds.acknowledged());
        assertThat(rounds.acknowledged()).isPositive();
        assertThat(rounds.hits()).as("phases hit").containsKey(Phase.LOAD);
    }
}

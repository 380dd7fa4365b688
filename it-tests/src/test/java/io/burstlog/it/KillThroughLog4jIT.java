// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Eight threads log through Log4j into one ring, and die again and again. {@link KillJvm} does more. */
class KillThroughLog4jIT {
    private static final int KILLS = Integer.getInteger("kill.rounds", 8);

    private final long seed = Long.getLong("kill.seed", System.nanoTime());

    @ParameterizedTest(name = "{0} log files, rolled: {1}")
    @CsvSource({"1, false", "4, false", "1, true", "2, true"})
    @Timeout(600)
    void everyAcknowledgedLineIsInItsFileOnceAndInOrderAfterManyKills(int streams, boolean areRolled) throws Exception {
        System.out.println("kill.seed=" + seed);
        String name = "kill-" + streams + (areRolled ? "-rolled" : "");
        KillRounds rounds = new KillRounds(seed, name, streams, areRolled, List.of());
        int kills = areRolled ? (KILLS + 1) / 2 : KILLS; // each start also rolls, compresses and deletes
        rounds.run(kills, Long.MAX_VALUE);
        System.out.printf(
                "%d kills %s: %,d lines acknowledged, each once in its file of %d, which were rolled %,d times%n",
                kills, rounds.hits(), rounds.acknowledged(), streams, rounds.rolls());
        assertThat(rounds.rolls() > 0).isEqualTo(areRolled);
        assertThat(rounds.acknowledged()).isPositive();
        assertThat(rounds.hits()).as("phases hit").containsKey(Phase.LOAD);
    }
}

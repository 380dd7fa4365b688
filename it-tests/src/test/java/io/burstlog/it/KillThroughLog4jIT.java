// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Eight threads log through Log4j into one ring, and die again and again. {@link KillJvm} does more. */
@Tag("newest-jdk") // The layer kill-jvm of the proof kills the oldest one.
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

    /** {@code burstlog drain} moves the lines, rolls and compresses. */
    @Test
    @Timeout(600)
    void theSameWithADrainInAProcessOfItsOwnThatIsKilledAsWell() throws Exception {
        System.out.println("kill.seed=" + seed);
        KillRounds rounds = new KillRounds(seed, "kill-drain", 2, true, true, List.of());
        int kills = (KILLS + 3) / 4;
        rounds.run(kills, Long.MAX_VALUE);
        System.out.printf(
                "%d kills %s, and %d of the drain: %,d lines acknowledged, each once in its file, which were rolled"
                        + " %,d times%n",
                kills, rounds.hits(), rounds.killsOfDrain(), rounds.acknowledged(), rounds.rolls());
        assertThat(rounds.rolls()).isPositive();
        assertThat(rounds.killsOfDrain()).isPositive();
        assertThat(Files.readString(rounds.installation().errors()))
                .as("a stop that leaves records to the drain")
                .doesNotContain("because that could not be written");
    }
}

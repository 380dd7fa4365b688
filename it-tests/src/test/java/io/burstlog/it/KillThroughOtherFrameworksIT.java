// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * As {@link KillThroughLog4jIT}, through Logback in Spring Boot and through java.util.logging, to two log files that
 * roll.
 */
@Tag("newest-jdk") // SIGKILL leaves no JDK a say; ends in order are EndOfJvmIT's.
class KillThroughOtherFrameworksIT {
    private static final int KILLS = Math.max(4, Integer.getInteger("kill.rounds", 12) / 3);

    private final long seed = Long.getLong("kill.seed", System.nanoTime());

    @ParameterizedTest
    @EnumSource(names = "LOG4J", mode = EnumSource.Mode.EXCLUDE)
    @Timeout(600)
    void everyAcknowledgedLineIsInItsFileOnceAndInOrderAfterKills(Logging.Framework framework) throws Exception {
        System.out.println("kill.seed=" + seed);
        KillRounds rounds = new KillRounds(seed, "kill-" + framework, framework, 2, true, List.of());
        rounds.run(KILLS, Long.MAX_VALUE);
        System.out.printf(
                "%s, %d kills %s: %,d lines acknowledged, each once in its file of 2, which were rolled %,d times%n",
                framework, KILLS, rounds.hits(), rounds.acknowledged(), rounds.rolls());
        assertThat(rounds.rolls()).isPositive();
        assertThat(rounds.acknowledged()).isPositive();
        assertThat(rounds.hits()).as("phases hit").containsKey(Phase.LOAD);
    }
}

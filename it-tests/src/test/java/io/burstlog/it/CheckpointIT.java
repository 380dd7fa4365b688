// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A JVM makes checkpoints (CRaC) while its threads log to two log files that roll. Each image has neither an open file
 * of the log nor a thread of it, and another writer logs meanwhile. Each acknowledged line is in its file once, in
 * order. A JVM that writes real images is not to be had everywhere: a package of the tests takes its place.
 */
class CheckpointIT {

    @ParameterizedTest
    @EnumSource
    @Timeout(120)
    void theLogIsClosedInEachImageAndGoesOnAfterEachRestore(Logging.Framework framework) throws Exception {
        String name = "checkpoint-" + framework;
        Installation installation = framework == Logging.Framework.LOG4J
                ? Installation.withStreams(name, MakesCheckpoints.STREAMS, true)
                : OtherConfigurations.rolled(framework, name, MakesCheckpoints.STREAMS);
        Process child = ChildJvm.start(
                List.of(),
                List.of("-Dorg.crac.Core.Compat=io.burstlog.it.crac"),
                installation,
                MakesCheckpoints.class,
                framework.name(),
                installation.directory().toString());
        Acknowledged said = new Acknowledged(child);
        assertThat(child.waitFor(100, TimeUnit.SECONDS)).as("the child ends").isTrue();
        said.awaitEnd();
        installation.requireSuccess(child);
        assertThat(said.lastNumber(MakesCheckpoints.OTHER_WRITER))
                .as("lines of the other writer")
                .isEqualTo(MakesCheckpoints.CHECKPOINTS);
        int rolls = 0;
        for (int number = 1; number <= MakesCheckpoints.STREAMS; number++) {
            int stream = number;
            LogFile.read(installation.files(stream))
                    .holdsWhatWasAcknowledged(
                            List.of(said),
                            MakesCheckpoints.OTHER_WRITER,
                            thread -> VictimOfKills.streamOf(thread, MakesCheckpoints.STREAMS) == stream);
            rolls += installation.files(stream).size() - 1;
        }
        System.out.printf(
                "%s, %d checkpoints: %,d lines acknowledged, %d rolls%n",
                framework, MakesCheckpoints.CHECKPOINTS, said.linesOf(MakesCheckpoints.OTHER_WRITER), rolls);
    }
}

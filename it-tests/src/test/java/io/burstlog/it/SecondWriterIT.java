// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A ring has one writer; a second one is told who the first is. */
@Timeout(120)
class SecondWriterIT {

    @Test
    void aSecondProcessIsRefusedAndToldThePidOfTheFirst() throws Exception {
        Installation installation = Installation.fresh("second-process");
        Process first = ChildJvm.start(installation, EndOfJvm.class, "1", "1", "linger");
        Acknowledged firstSaid = new Acknowledged(first);
        assertThat(firstSaid.awaitFirst(30_000)).isTrue();

        Process second = ChildJvm.start(installation, EndOfJvm.class, "2", "1", "return");
        assertThat(second.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).as("its first log call throws").isEqualTo(1);
        assertThat(Files.readString(installation.errors()))
                .contains(installation.ring().toString())
                .containsPattern("\\b" + first.pid() + "\\b");

        assertThat(first.isAlive()).isTrue();
        ChildJvm.terminate(first);
        assertThat(first.waitFor(30, TimeUnit.SECONDS)).isTrue();
        firstSaid.awaitEnd();
        LogFile log = LogFile.read(installation.file());
        log.holdsWhatWasAcknowledged(List.of(firstSaid), EndOfJvm.DAEMONS + 4);
        assertThat(log.lastRun()).as("run of the last line").isEqualTo(1);
    }

    @Test
    void aSecondClassLoaderIsRefusedAndToldItsOwnPid() throws Exception {
        Installation installation = Installation.fresh("second-class-loader");
        Process child = ChildJvm.start(
                installation,
                TwoClassLoaders.class,
                installation.ring().toString(),
                installation.file().toString());
        List<String> said = child.inputReader().lines().toList();
        installation.requireSuccess(child);
        assertThat(said).hasSize(3);
        String pid = said.get(0);
        assertThat(said.get(1)).contains(installation.ring().toString()).containsPattern("\\b" + pid + "\\b");
        assertThat(said.get(2)).isEqualTo("open after the first has closed");
    }

    @Test
    void anApplicationThatIsDeployedAnewLogsOnceTheOneBeforeHasStopped() throws Exception {
        Installation installation = Installation.fresh("redeployment");
        Process child = ChildJvm.start(installation, Redeployment.class);
        List<String> said = child.inputReader().lines().toList();
        installation.requireSuccess(child);
        String refused = said.get(2);
        assertThat(refused)
                .startsWith("too early: Burst 'Log' is not started: ")
                .contains(installation.ring().toString())
                .containsPattern("\\b" + said.get(0) + "\\b");
        assertThat(said.subList(3, said.size())).allMatch(line -> line.endsWith(": done"));
        assertThat(Files.readAllLines(installation.file()))
                .containsExactly("first 1", "first 2", "second 1", "third 1");
    }
}

// SPDX-License-Identifier: Apache-2.0
package examples.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes that end before the commit, between commit and outcome, and by themselves when the disk fails. */
@Timeout(300)
class IntentsSurviveKillIT {
    private final Path folder = Path.of("target", "intents-survive-kill").toAbsolutePath();

    @Test
    void anIntentWithoutOutcomeIsFoundByTheNextStart() throws Exception {
        TransferFolder.empty(folder);
        run("before-commit", "A", CrashingTransfers.CRASHED);
        assertThat(TransferFolder.trail(folder)).containsExactly("intent A transfer 10 from alice to bob");

        assertThat(run("after-commit", "B", CrashingTransfers.CRASHED))
                .anyMatch(line -> line.endsWith("intent A had no outcome: rolled-back"));
        assertThat(run("disk", "C", EndOnAuditFailure.EXIT_CODE))
                .anyMatch(line -> line.endsWith("intent B had no outcome: committed"));

        assertThat(TransferFolder.trail(folder))
                .containsExactly(
                        "intent A transfer 10 from alice to bob",
                        "outcome A rolled-back",
                        "intent B transfer 10 from alice to bob",
                        "outcome B committed");
        assertThat(transfers()).containsExactly("B");
    }

    /** Returns what the service said. */
    private List<String> run(String crash, String id, int exitCode) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path")));
        String nativeAccess = System.getProperty("native.access", "");
        if (!nativeAccess.isEmpty()) {
            command.add(nativeAccess);
        }
        command.addAll(List.of("-Dcrash=" + crash, CrashingTransfers.class.getName(), "--audit.folder=" + folder, id));
        Process service = new ProcessBuilder(command).redirectErrorStream(true).start();
        Runtime.getRuntime().addShutdownHook(new Thread(service.toHandle()::destroyForcibly));
        List<String> said = service.inputReader().lines().toList();
        assertThat(service.waitFor()).as("exit code; it said %s", said).isEqualTo(exitCode);
        return said;
    }

    private List<String> transfers() throws Exception {
        List<String> ids = new ArrayList<>();
        try (Connection database = DriverManager.getConnection("jdbc:h2:file:" + folder.resolve("transfers"), "", "");
                ResultSet rows = database.createStatement().executeQuery("select id from transfer")) {
            while (rows.next()) {
                ids.add(rows.getString(1));
            }
        }
        return ids;
    }
}

// SPDX-License-Identifier: Apache-2.0
package examples.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The whole service; its disk is pulled while it runs. It is told to stay, so that it can be asked. */
@Timeout(120)
class AuditFailsClosedTest {
    private final HttpClient client = HttpClient.newHttpClient();
    private Path folder;
    private ConfigurableApplicationContext service;

    /** A ring that has failed stays so as long as it is open, so each test has its own. */
    @BeforeEach
    void start(TestInfo test) throws IOException {
        // The temporary directory may be memory, which no ring with durability="power" accepts.
        folder = Path.of("target", test.getTestMethod().orElseThrow().getName()).toAbsolutePath();
        TransferFolder.empty(folder);
        service = run();
    }

    private ConfigurableApplicationContext run() {
        return SpringApplication.run(
                Transfers.class,
                "--server.port=0",
                "--audit.folder=" + folder,
                "--spring.profiles.active=available",
                "--management.endpoint.health.show-details=always",
                "--spring.datasource.url=jdbc:h2:mem:transfers");
    }

    @AfterEach
    void stop() {
        service.close();
    }

    private HttpResponse<String> send(HttpRequest.Builder request, String path)
            throws IOException, InterruptedException {
        String port = service.getEnvironment().getProperty("local.server.port");
        return client.send(
                request.uri(URI.create("http://localhost:" + port + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> transfer() throws IOException, InterruptedException {
        return transfer("alice");
    }

    private HttpResponse<String> transfer(String debit) throws IOException, InterruptedException {
        return send(
                HttpRequest.newBuilder().POST(HttpRequest.BodyPublishers.noBody()),
                "/transfers?from=" + debit + "&to=bob&amount=10");
    }

    private HttpResponse<String> health(String group) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(), "/actuator/health" + group);
    }

    private List<String> transfers() {
        return service.getBean(JdbcClient.class)
                .sql("select id from transfer")
                .query(String.class)
                .list();
    }

    /** The status of the audit trail, before or behind its details: Spring Boot 4 has another order than 3. */
    private static String audit(String status) {
        return "\"audit\":\\{(\"details\":\\{[^}]*},)?\"status\":\"" + status + "\"";
    }

    @Test
    void noRequestWritesRecordsOfItsOwn() throws Exception {
        HttpResponse<String> forged = transfer("alice%0A%0A2026-01-01T00:00:00%20outcome%20A%20committed");
        assertThat(forged.statusCode()).isEqualTo(400);
        assertThat(forged.body()).contains("the audit trail takes no control characters, and this text has U+000A");
        assertThat(transfers()).isEmpty();
        assertThat(TransferFolder.trail(folder)).isEmpty();
    }

    @Test
    void linesThatAreNoRecordsDoNotKeepTheServiceFromStarting() throws Exception {
        LoggerFactory.getLogger("audit").info("\n\n");
        service.close();
        service = run();
        assertThat(transfer().statusCode()).isEqualTo(201);
    }

    @Test
    void withoutARecordThereIsNoAction() throws Exception {
        Ledger ledger = service.getBean(Ledger.class);
        ledger.transfer("A", "alice", "bob", 10);
        assertThatThrownBy(() -> ledger.transfer("A", "alice", "bob", 11)).isInstanceOf(DuplicateKeyException.class);
        HttpResponse<String> taken = transfer();
        assertThat(taken.statusCode()).isEqualTo(201);
        assertThat(health("").body()).containsPattern(audit("UP"));
        for (String group : List.of("", "/liveness", "/readiness")) {
            assertThat(health(group).statusCode()).as(group).isEqualTo(200);
        }
        FailingDisk.during(() -> {
            HttpResponse<String> refused = transfer();
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.body()).contains("the audit trail takes no record", "EFBIG");
        });
        // The disk is back, but a ring that has failed takes no record until it is opened anew.
        assertThat(transfer().statusCode()).isEqualTo(503);
        assertThat(transfers()).containsExactlyInAnyOrder("A", taken.body());
        assertThat(health("").body()).containsPattern(audit("DOWN")).contains("FAILED");
        for (String group : List.of("", "/liveness", "/readiness")) {
            assertThat(health(group).statusCode()).as(group).isEqualTo(503);
        }
        assertThat(TransferFolder.trail(folder))
                .containsExactly(
                        "intent A transfer 10 from alice to bob",
                        "outcome A committed",
                        "intent A transfer 11 from alice to bob",
                        "outcome A rolled-back",
                        "intent " + taken.body() + " transfer 10 from alice to bob",
                        "outcome " + taken.body() + " committed");
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Log files that the engine rolls by itself. */
@EachBinding
class RollingTest {

    private final Binding binding;
    private TempLog temp;

    RollingTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void createDirectory(@TempDir Path directory) {
        temp = new TempLog(directory, binding);
    }

    private String path(String name) {
        return temp.directory().resolve(name).toString();
    }

    private void assertHolds(String name, String... lines) throws IOException {
        assertThat(Files.readAllLines(temp.directory().resolve(name))).containsExactly(lines);
    }

    @Test
    void theMainStreamRolls() throws IOException {
        BurstConfig config = temp.config(
                        temp.main().rolling(Rolling.to(path("orders-%i")).size(8)))
                .build();
        try (BurstLog log = BurstLog.open(config)) {
            for (String text : new String[] {"one", "two", "three", "four"}) {
                log.append(line(text));
            }
            log.roll(null);
            log.append(line("five"));
            log.roll(path("by-name"));
        }
        assertHolds("orders-1", "one", "two");
        assertHolds("orders-2", "three");
        assertHolds("orders-3", "four");
        assertHolds("by-name", "five");
        assertHolds("orders.log");
    }

    @Test
    void aStreamKeepsItsNewestFiles() throws Exception {
        Rolling rolling = Rolling.to(path("audit-%i.log")).size(1).keepFiles(2);
        StreamConfig config = StreamConfig.builder()
                .fileName(path("audit.log"))
                .rolling(rolling)
                .build();
        try (BurstLog log = BurstLog.open(temp.config().fileName(null).build());
                BurstStream audit = log.stream("audit", config)) {
            for (int i = 1; i <= 5; i++) {
                audit.append(line("audit " + i));
            }
            while (Files.exists(Path.of(path("audit-2.log"))) || !Files.exists(Path.of(path("audit-4.log")))) {
                Thread.sleep(10);
            }
        }
        assertHolds("audit-3.log", "audit 3");
        assertHolds("audit-4.log", "audit 4");
        assertHolds("audit.log", "audit 5");
    }

    @Test
    void aRollThatIsOfferedEndsTheFile() throws IOException {
        StreamConfig config = StreamConfig.builder().fileName(path("audit.log")).build();
        try (BurstLog log = BurstLog.open(temp.config().fileName(null).build());
                BurstStream audit = log.stream("audit", config)) {
            audit.append(line("one"));
            assertThat(audit.offerRoll(Roll.to(path("ended")), 1)).isEqualTo(2);
            audit.append(line("two"));
        }
        assertHolds("ended", "one");
        assertHolds("audit.log", "two");
    }

    private void check(Rolling rolling) {
        temp.config(temp.main().rolling(rolling)).build().check();
    }

    @Test
    void whatTheEngineRefusesIsSaidInItsWords() {
        assertThatThrownBy(() -> check(Rolling.to(path("orders")).size(1))).hasMessageContaining("put %i into it");
        assertThatThrownBy(() -> check(Rolling.to(path("%i")).interval(Duration.ofSeconds(7))))
                .hasMessageContaining("rollInterval");
        assertThatThrownBy(() -> Rolling.to(" ")).hasMessageContaining("rollPattern is missing");
        assertThatThrownBy(() -> Rolling.to("%i").size(-1)).hasMessageContaining("rollSize is -1");
        assertThatThrownBy(() -> Rolling.to("%i").keep(Duration.ofSeconds(-1))).hasMessageContaining("keep is -1 s");
    }
}

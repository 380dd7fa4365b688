// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LossReportTest {

    private final StatusLines status = new StatusLines();

    @AfterEach
    void stopListening() {
        status.stopListening();
    }

    private List<String> told() {
        // Not what an appender of another test tells.
        return status.atLeast(Level.ERROR).stream()
                .filter(line -> !line.contains("Burst"))
                .toList();
    }

    @Test
    void the_first_is_told_at_once_and_the_others_as_a_number() {
        final LossReport report = new LossReport(Duration.ofHours(1));
        for (int i = 1; i <= 1_000; i++) {
            final int number = i;
            report.add(() -> "loss " + number);
        }
        assertThat(told()).containsExactly("ERROR loss 1");
        report.tell();
        assertThat(told())
                .containsExactly("ERROR loss 1", "ERROR loss 1000 This has happened 999 times since it was last told.");
        report.tell();
        assertThat(told()).hasSize(2);
    }

    @Test
    void what_lasts_is_told_again_when_the_time_is_over_without_a_further_event() {
        final LossReport report = new LossReport(Duration.ofMillis(200));
        report.add(() -> "first");
        report.add(() -> "second");
        await().until(() -> told().size() == 2);
        report.add(() -> "third");
        await().until(() -> told().size() == 3);
        assertThat(told()).containsExactly("ERROR first", "ERROR second", "ERROR third");
    }

    @Test
    void what_something_else_has_told_is_not_told_at_once() {
        final LossReport report = new LossReport(Duration.ofHours(1));
        report.wasTold();
        report.add(() -> "loss");
        assertThat(told()).isEmpty();
        report.tell();
        assertThat(told()).containsExactly("ERROR loss");
    }

    @Test
    void the_first_after_an_end_without_loss_is_told_at_once() {
        final LossReport report = new LossReport(Duration.ofHours(1));
        report.tell();
        report.add(() -> "loss");
        assertThat(told()).containsExactly("ERROR loss");
    }

    @Test
    void a_listener_that_makes_it_count_again_ends() {
        final LossReport report = new LossReport(Duration.ofHours(1));
        report.add(() -> {
            report.add(() -> "again");
            return "loss";
        });
        assertThat(told()).containsExactly("ERROR loss");
    }
}

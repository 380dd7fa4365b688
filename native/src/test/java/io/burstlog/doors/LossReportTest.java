// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LossReportTest {

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    private LossReport every(Duration interval) {
        return new LossReport(interval, told::add);
    }

    private List<String> told() {
        return List.copyOf(told);
    }

    @Test
    void the_first_is_told_at_once_and_the_others_as_a_number() {
        LossReport report = every(Duration.ofHours(1));
        for (int i = 1; i <= 1_000; i++) {
            int number = i;
            report.add(() -> "loss " + number);
        }
        assertThat(told()).containsExactly("loss 1");
        report.tell();
        assertThat(told()).containsExactly("loss 1", "loss 1000 This has happened 999 times since it was last told.");
        report.tell();
        assertThat(told()).hasSize(2);
    }

    @Test
    void what_lasts_is_told_again_when_the_time_is_over_without_a_further_event() throws InterruptedException {
        LossReport report = every(Duration.ofMillis(200));
        report.add(() -> "first");
        report.add(() -> "second");
        assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo("first");
        assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo("second");
        report.add(() -> "third");
        assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo("third");
    }

    @Test
    void what_something_else_has_told_is_not_told_at_once() {
        LossReport report = every(Duration.ofHours(1));
        report.wasTold();
        report.add(() -> "loss");
        assertThat(told()).isEmpty();
        report.tell();
        assertThat(told()).containsExactly("loss");
    }

    @Test
    void the_first_after_an_end_without_loss_is_told_at_once() {
        LossReport report = every(Duration.ofHours(1));
        report.tell();
        report.add(() -> "loss");
        assertThat(told()).containsExactly("loss");
    }

    @Test
    void an_operator_that_makes_it_count_again_ends() {
        LossReport report = every(Duration.ofHours(1));
        report.add(() -> {
            report.add(() -> "again");
            return "loss";
        });
        assertThat(told()).containsExactly("loss");
    }
}

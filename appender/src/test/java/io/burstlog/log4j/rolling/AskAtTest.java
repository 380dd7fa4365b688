// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.rolling.CompositeTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.CronTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.OnStartupTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TimeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;
import org.junit.jupiter.api.Test;

@SuppressWarnings("deprecation") // Older versions of Log4j lack the factories' replacements.
class AskAtTest {

    private static final TriggeringPolicy OF_USER = new TriggeringPolicy() {
        @Override
        public void initialize(final RollingFileManager manager) {
            // Needs nothing.
        }

        @Override
        public boolean isTriggeringEvent(final LogEvent event) {
            return false;
        }
    };

    private static TriggeringPolicy all(final TriggeringPolicy... policies) {
        return CompositeTriggeringPolicy.createPolicy(policies);
    }

    private static TriggeringPolicy bySize(final String size) {
        return SizeBasedTriggeringPolicy.createPolicy(size);
    }

    @Test
    void a_policy_is_not_asked_before_it_can_answer_yes() {
        final TriggeringPolicy hourly = TimeBasedTriggeringPolicy.createPolicy("1", "true");
        assertThat(AskAt.of(bySize("1000"))).isEqualTo(new AskAt(1000, Long.MAX_VALUE));
        assertThat(AskAt.of(hourly)).isEqualTo(new AskAt(Long.MAX_VALUE, 0));
        assertThat(AskAt.of(all(bySize("1000"), all(bySize("500"), hourly)))).isEqualTo(new AskAt(500, 0));
        assertThat(AskAt.of(CronTriggeringPolicy.createPolicy(RolledLog.configuration(), null, "0 0 0 * * ?")))
                .isEqualTo(AskAt.NEVER);
        assertThat(AskAt.of(OnStartupTriggeringPolicy.createPolicy(1))).isEqualTo(AskAt.NEVER);
    }

    @Test
    void a_policy_that_nobody_knows_is_asked_for_each_event() {
        final AskAt always = new AskAt(Long.MIN_VALUE, Long.MIN_VALUE);
        assertThat(AskAt.of(OF_USER)).isEqualTo(always);
        assertThat(AskAt.of(all(bySize("1000"), OF_USER))).isEqualTo(always);
        assertThat(AskAt.of(new SizeBasedTriggeringPolicy(5) {})).isEqualTo(always);
    }

    @Test
    void a_note_says_what_it_was_told_and_another_one_is_none() {
        final RollNote note = new RollNote(1, -2, 3, true);
        assertThat(RollNote.decode(note.encode())).isEqualTo(note);
        assertThat(RollNote.decode(new byte[0])).isNull();
        assertThat(RollNote.decode(new byte[100])).isNull();
    }
}

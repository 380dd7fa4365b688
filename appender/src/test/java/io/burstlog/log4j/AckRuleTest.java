// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.AbstractLogEvent;
import org.apache.logging.log4j.core.LogEvent;
import org.junit.jupiter.api.Test;

class AckRuleTest {

    private static final long THIS_THREAD = Thread.currentThread().getId();
    private static final long ANOTHER_THREAD = THIS_THREAD + 1;

    @Test
    void an_event_of_the_calling_thread_is_durable_on_return_whatever_end_of_batch_says() {
        assertThat(AckRule.durable().isDurableOnReturn(event(THIS_THREAD, false, Level.INFO)))
                .isTrue();
        assertThat(AckRule.durable().isDurableOnReturn(event(THIS_THREAD, true, Level.INFO)))
                .isTrue();
    }

    @Test
    void of_events_handed_over_by_other_threads_only_the_last_of_a_batch_is_durable_on_return() {
        assertThat(AckRule.durable().isDurableOnReturn(event(ANOTHER_THREAD, false, Level.INFO)))
                .isFalse();
        assertThat(AckRule.durable().isDurableOnReturn(event(ANOTHER_THREAD, true, Level.INFO)))
                .isTrue();
    }

    @Test
    void an_event_without_a_thread_id_is_durable_on_return() {
        assertThat(AckRule.durable().isDurableOnReturn(event(0, false, Level.INFO)))
                .isTrue();
        assertThat(AckRule.durable().isDurableOnReturn(event(-1, false, Level.INFO)))
                .isTrue();
    }

    @Test
    void events_below_the_ack_level_are_only_enqueued() {
        final AckRule rule = AckRule.durableFrom(Level.INFO);

        assertThat(rule.isDurableOnReturn(event(THIS_THREAD, false, Level.DEBUG)))
                .isFalse();
        assertThat(rule.isDurableOnReturn(event(THIS_THREAD, false, Level.INFO)))
                .isTrue();
        assertThat(rule.isDurableOnReturn(event(THIS_THREAD, false, Level.ERROR)))
                .isTrue();
    }

    @Test
    void the_end_of_a_batch_is_awaited_even_below_the_ack_level_because_others_before_it_may_be_above() {
        assertThat(AckRule.durableFrom(Level.INFO).isDurableOnReturn(event(ANOTHER_THREAD, true, Level.DEBUG)))
                .isTrue();
    }

    @Test
    void enqueued_awaits_nothing() {
        assertThat(AckRule.enqueued().isDurableOnReturn(event(THIS_THREAD, true, Level.FATAL)))
                .isFalse();
        assertThat(AckRule.enqueued().isDurableOnReturn(event(ANOTHER_THREAD, true, Level.FATAL)))
                .isFalse();
    }

    private static LogEvent event(final long threadId, final boolean endOfBatch, final Level level) {
        return new AbstractLogEvent() {
            private static final long serialVersionUID = 1L;

            @Override
            public long getThreadId() {
                return threadId;
            }

            @Override
            public boolean isEndOfBatch() {
                return endOfBatch;
            }

            @Override
            public Level getLevel() {
                return level;
            }
        };
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.layout.AbstractStringLayout;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiscardNoticeTest {

    @TempDir
    Path temporary;

    private CountingLayout layout;
    private EventStream stream;

    /** Throws an Error at its first events. */
    private static final class CountingLayout extends AbstractStringLayout {

        private final AtomicInteger events = new AtomicInteger();
        private volatile int deaths;

        CountingLayout() {
            super(StandardCharsets.US_ASCII);
        }

        @Override
        public String toSerializable(final LogEvent event) {
            if (events.incrementAndGet() <= deaths) {
                throw new AssertionError("for the line");
            }
            return event.getMessage().getFormattedMessage();
        }
    }

    @BeforeEach
    void openRing() {
        layout = new CountingLayout();
        FullRing.makeLong(temporary.resolve("orders.log"));
        stream = new OrdersDirectory(temporary).open(layout);
    }

    @Test
    void a_line_whose_layout_dies_is_tried_again_without_a_further_event() {
        layout.deaths = 2;
        final DiscardNotice notice = new DiscardNotice(stream);
        notice.add(layout);
        await().until(() -> stream.ring().log().stats().acceptedSequence() == 1);
        stream.closeWithRing(left -> {});
    }

    @Test
    void what_is_discarded_while_the_ring_is_closed_is_told_to_the_operator() {
        stream.closeWithRing(left -> {});
        final StatusLines status = new StatusLines();
        new DiscardNotice(stream).add(layout);
        await().untilAsserted(() -> assertThat(status.atLeast(Level.ERROR))
                .filteredOn(line -> line.contains("the log itself"))
                .singleElement()
                .asString()
                .contains("1 event was discarded", "the log itself does not say so"));
        status.stopListening();
    }

    @Test
    void a_stopping_thread_that_was_interrupted_waits_for_space_without_spinning() {
        try (FileSizeLimit limit = FullRing.withoutDrain()) {
            FullRing.fill(stream.records());
            final DiscardNotice notice = new DiscardNotice(stream);
            notice.add(layout);
            Thread.currentThread().interrupt();
            notice.writeBeforeClose(Duration.ofMillis(500));
            assertThat(Thread.interrupted()).as("still interrupted").isTrue();
            // One each 5 ms, and those of the timer.
            assertThat(layout.events).hasValueLessThan(200);
            stream.closeWithRing(left -> {});
        }
    }
}

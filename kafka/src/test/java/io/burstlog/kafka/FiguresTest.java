// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.ConsumerLag;
import io.burstlog.kafka.ShipperStats.State;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FiguresTest {

    private long millis = 1_000_000;
    private final Figures figures = new Figures(() -> millis);

    @Test
    void theFirstRecordThatWaitsGrowsOlderAlsoWhenNobodyLooks() {
        figures.setLag(new ConsumerLag(3, 300, TimeUnit.MILLISECONDS.toNanos(998_000)));
        assertThat(figures.now().lagSeconds()).isEqualTo(2);
        figures.add(State.FAILED, 7, 0, 0, 0, 0);
        millis += 3_600_000;
        assertThat(figures.now()).isEqualTo(new ShipperStats(State.FAILED, 7, 0, 0, 0, 0, 3, 300, 3_602));
    }

    @Test
    void nothingWaitsBeforeTheFirstLookAndBehindAFolderThatIsLeft() {
        assertThat(figures.now().lagSeconds()).isZero();
        figures.setLag(new ConsumerLag(3, 300, TimeUnit.MILLISECONDS.toNanos(998_000)));
        figures.leaveFolder();
        assertThat(figures.now()).isEqualTo(new ShipperStats(State.CONNECTING, 0, 0, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void whatIsMissingIsNoYoungerThanWhatWaitedBefore() {
        figures.setLag(new ConsumerLag(3, 300, TimeUnit.MILLISECONDS.toNanos(998_000)));
        figures.setLag(new ConsumerLag(2, 0, 0));
        assertThat(figures.now()).isEqualTo(new ShipperStats(State.CONNECTING, 0, 0, 0, 0, 0, 2, 0, 2));
        figures.setLag(new ConsumerLag(0, 0, 0));
        assertThat(figures.now().lagSeconds()).isZero();
        figures.setLag(new ConsumerLag(1, 0, 0));
        assertThat(figures.now().lagSeconds()).as("nobody knows").isZero();
    }

    @Test
    void aRecordOfTheFutureIsNotOld() {
        figures.setLag(new ConsumerLag(1, 100, TimeUnit.MILLISECONDS.toNanos(2_000_000)));
        assertThat(figures.now().lagSeconds()).isZero();
    }
}

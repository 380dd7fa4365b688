// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.handover;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.bench.harness.Options;
import io.burstlog.bench.subject.Media;
import java.nio.file.Path;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HandOversTest {

    /** More than fit at once. */
    private static final int MESSAGES = HandOver.CAPACITY * 5 / 4;

    @TempDir
    private Path directory;

    private Media media() throws Exception {
        return new Media(new Options(List.of("--dir", directory.toString())));
    }

    /** A lost wake-up would stop it for ever. */
    @ParameterizedTest
    @ValueSource(
            strings = {"set-release+park", "set-volatile+park", "set-release+yield", "mapped-file", "disruptor+block"})
    void aQueueTakesMoreThanItHoldsAndIsEmptyInTheEnd(String name) throws Exception {
        try (HandOver queue = HandOvers.make(name, 99, 1, media())) {
            for (int i = 0; i < MESSAGES; i++) {
                queue.offer(new byte[99]);
            }
            queue.awaitEmpty();
            Histogram lags = new Histogram(3);
            queue.addLags(lags);
            assertThat(lags.getTotalCount()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "offer@ssd")
    void whatIsDurableInTheEndHasLags(String name) throws Exception {
        try (HandOver ring = HandOvers.make(name, 99, 1, media())) {
            for (int i = 0; i < 6400; i++) {
                ring.offer(new byte[99]);
            }
            ring.awaitDurable();
            Histogram lags = new Histogram(3);
            ring.addLags(lags);
            assertThat(lags.getTotalCount()).isBetween(95L, 105L);
            ring.awaitEmpty();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class OpenLoopTest {

    private static final long MILLI = 1_000_000;
    private static final long SERVICE = 100_000;

    /** Time passes while the target works, and while somebody waits. */
    private static final class FakeClock implements OpenLoop.Clock {
        private long now = 5 * MILLI;

        @Override
        public long nanos() {
            return now;
        }

        @Override
        public void awaitNanos(long until) {
            now = Math.max(now, until);
        }
    }

    private final FakeClock clock = new FakeClock();
    private final OpenLoop loop = new OpenLoop(clock);

    private Target slowAt(int stalled, long stallNanos) {
        return new Target() {
            @Override
            public String name() {
                return "fake";
            }

            @Override
            public void write(int number) {
                clock.now += SERVICE + (number == stalled ? stallNanos : 0);
            }
        };
    }

    @Test
    void withoutAStallResponseTimeIsServiceTime() throws Exception {
        loop.run(slowAt(-1, 0), 1000, 100);

        assertThat(loop.response()).isEqualTo(loop.service());
        assertThat(loop.response().getMaxValue()).isCloseTo(SERVICE, Percentage.withPercentage(0.1));
        assertThat(loop.response().getTotalCount()).isEqualTo(100);
    }

    @Test
    void aStallOfTenMillisecondsShowsInTheResponseTimeOfThoseThatFollow() throws Exception {
        // A message each millisecond: the one that stalls is late, and ten behind it, each of
        // which makes up for 0.9 ms.
        loop.run(slowAt(50, 10 * MILLI), 1000, 100);

        assertThat(loop.service().getCountBetweenValues(SERVICE * 2, Long.MAX_VALUE / 2))
                .as("slow services")
                .isEqualTo(1);
        assertThat(loop.response().getCountBetweenValues(SERVICE * 2, Long.MAX_VALUE / 2))
                .as("late responses")
                .isEqualTo(1 + 11);
        for (int behind = 0; behind <= 11; behind++) {
            long expected = 10 * MILLI + SERVICE - behind * (MILLI - SERVICE);
            assertThat(loop.response().getCountAtValue(expected))
                    .as("%d behind the stall", behind)
                    .isGreaterThan(0);
        }
        assertThat(loop.service().getValueAtPercentile(98)).isLessThan(2 * SERVICE);
        assertThat(loop.response().getValueAtPercentile(98)).isGreaterThan(8 * MILLI);
    }

    @Test
    void aTargetThatIsOverloadedFallsFurtherAndFurtherBehind() throws Exception {
        // 100 us of work each 50 us: the last of 100 is 99 * 50 us late.
        loop.run(slowAt(-1, 0), 20_000, 100);

        assertThat(loop.response().getMaxValue()).isCloseTo(99 * 50_000 + SERVICE, Percentage.withPercentage(0.1));
        assertThat(loop.service().getMaxValue()).isCloseTo(SERVICE, Percentage.withPercentage(0.1));
        assertThat(loop.reachedPerSecond()).isCloseTo(10_000, Percentage.withPercentage(0.1));
        assertThat(loop.utilization()).isEqualTo(1);
    }
}

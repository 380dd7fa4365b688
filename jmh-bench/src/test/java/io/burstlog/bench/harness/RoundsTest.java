// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoundsTest {

    /** For blocks of ten messages. */
    private static final int LEAD_IN = 1;

    private final List<String> log = new ArrayList<>();
    private long clock;

    /** Each message takes as many nanoseconds as its number. */
    private Target fake(String name) {
        return new Target() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public void write(int number) {
                throw new AssertionError("only blocks");
            }

            @Override
            public void run(int first, long[] nanos) {
                if (nanos.length == LEAD_IN) {
                    return;
                }
                log.add(name + first);
                Arrays.setAll(nanos, i -> first + i);
            }

            @Override
            public void settle() {
                log.add("settle");
            }
        };
    }

    @Test
    void targetsTakeTurnsAndEachRoundBeginsWithAnother() throws Exception {
        new Rounds("any", 10, 0, 30, Long.MAX_VALUE).measure(List.of(fake("a"), fake("b"), fake("c")), () -> 0);

        log.removeIf("settle"::equals);
        assertThat(log).containsExactly("a1", "b1", "c1", "b12", "a12", "c12", "c23", "a23", "b23");
    }

    @Test
    void everyBlockSettlesBeforeTheNextTargetBegins() throws Exception {
        new Rounds("any", 10, 10, 10, Long.MAX_VALUE).measure(List.of(fake("a"), fake("b")), () -> 0);

        assertThat(log).containsExactly("a1", "settle", "b1", "settle", "b12", "settle", "a12", "settle");
    }

    @Test
    void warmUpIsNotCounted() throws Exception {
        TargetResult result = new Rounds("any", 10, 15, 20, Long.MAX_VALUE)
                .measure(List.of(fake("a")), () -> 0)
                .get(0);

        // Two blocks of warm-up and their lead-ins come first, so counting begins with message 23.
        assertThat(result.histogram().getMinValue()).isEqualTo(23);
        assertThat(result.histogram().getTotalCount()).isEqualTo(20);
    }

    @Test
    void afterTheTimeThreeRoundsAreCountedAndNoMore() throws Exception {
        TargetResult result = new Rounds("any", 10, 0, 1_000, 4)
                .measure(List.of(fake("a")), () -> clock++ * 100)
                .get(0);

        assertThat(result.histogram().getTotalCount()).isEqualTo(30);
    }

    @Test
    void warmUpTakesHalfOfTheTimeAtMostAndSaysHowMuchItWas() throws Exception {
        // The clock moves with each look: the first look is at 0, and the looks at 1 to 4 let a block
        // begin in the first half.
        TargetResult result = new Rounds("any", 10, 1_000, 1_000, 10)
                .measure(List.of(fake("a")), () -> clock++)
                .get(0);

        assertThat(result.toJson()).containsEntry("warmUpMessages", 40);
        assertThat(result.histogram().getMinValue()).isEqualTo(45);
    }

    @Test
    void allocationIsCountedPerMessage() throws Exception {
        Object[] kept = new Object[1];
        Target allocating = new Target() {
            @Override
            public String name() {
                return "allocating";
            }

            @Override
            public void write(int number) {
                kept[0] = new byte[1000];
            }
        };

        TargetResult result = new Rounds("any", 1000, 1000, 1000, Long.MAX_VALUE)
                .measure(List.of(allocating), () -> 0)
                .get(0);

        double perMessage = Json.number(result.toJson().get("allocatedBytesPerMessage"));
        assertThat(perMessage).isBetween(1000.0, 1100.0);
    }

    @Test
    void ratiosAreMedianAndQuartilesOfBlocksOfTheSameRound() {
        Map<String, Object> base = blocks(10, 100, 1000, 10, 10);
        Map<String, Object> of = blocks(10, 200, 3000, 40, 50);

        Ratios ratios = Ratios.ratios(of, base, "p50");

        assertThat(ratios).isEqualTo(new Ratios(3, 2, 4, 5));
        assertThat(Ratios.differences(of, base, "p50").median()).isEqualTo(40);
    }

    private static Map<String, Object> blocks(long... p50s) {
        return Map.of(
                "blocks",
                Arrays.stream(p50s).mapToObj(p50 -> Map.of("p50", p50)).toList());
    }

    @Test
    void itIsNotDoneBeforeTheLeastRoundsAreWhateverTheTimeSays() {
        assertThat(Rounds.done(5, 0, 0.1, 2.0)).isEqualTo(0.625);
        assertThat(Rounds.done(5, 2, 0.1, 2.0)).isEqualTo(0.875);
        assertThat(Rounds.done(5, 3, 0.1, 2.0)).isEqualTo(1);
        assertThat(Rounds.done(5, 9, 0.1, 0.4)).isEqualTo(0.4);
        assertThat(Rounds.done(5, 9, 0.8, 0.4)).isEqualTo(0.8);
    }
}

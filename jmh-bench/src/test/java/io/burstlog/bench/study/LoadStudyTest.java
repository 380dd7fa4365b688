// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.OpenLoop;
import io.burstlog.bench.harness.Target;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoadStudyTest {

    private static final long SERVICE = 100_000;
    private static final long STALL = 30_000_000;

    private long now = 1;
    private int calls;
    private int stalledCall = -1;

    private final OpenLoop.Clock clock = new OpenLoop.Clock() {
        @Override
        public long nanos() {
            return now;
        }

        @Override
        public void awaitNanos(long until) {
            now = Math.max(now, until);
        }
    };

    private final Target target = new Target() {
        @Override
        public String name() {
            return "fake";
        }

        @Override
        public void write(int number) {
            now += SERVICE + (calls++ == stalledCall ? STALL : 0);
        }
    };

    @Test
    void aStallIsInTheFiguresOfItsBlockAloneAndInThoseOfAllMessages() throws Exception {
        LoadStudy.Level level = new LoadStudy.Level(target, 50, clock);
        stalledCall = 2 * LoadStudy.LEAST_MESSAGES + 10; // in the third of five
        for (int block = 0; block < 5; block++) {
            level.block(2_000, 0.1);
        }

        Map<String, Object> json = level.toJson();
        List<Object> blocks = Json.list(Json.object(json.get("figuresOfBlocks")).get("response p99"));
        assertThat(blocks).hasSize(5);
        for (int block = 0; block < 5; block++) {
            double p99 = Json.number(blocks.get(block));
            if (block == 2) {
                assertThat(p99).isGreaterThan(STALL / 2.0);
            } else {
                assertThat(p99).isLessThan(2.0 * SERVICE);
            }
        }
        assertThat(json).containsEntry("messages", 5L * LoadStudy.LEAST_MESSAGES);
        Map<String, Object> all = Json.object(json.get("response"));
        assertThat(Json.number(all.get("messages"))).isEqualTo(5.0 * LoadStudy.LEAST_MESSAGES);
        assertThat(Json.number(all.get("max"))).isGreaterThan(STALL);
    }

    @Test
    void aBlockIsAPartOfTheCapacityOfItsRoundAndLongEnoughForItsP99() throws Exception {
        LoadStudy.Level level = new LoadStudy.Level(target, 50, clock);
        level.block(2_000, 0.1); // 100 messages in that time are too few
        level.block(4_000, 1.5); // 2,000 a second

        Map<String, Object> json = level.toJson();
        List<Object> reached = Json.list(json.get("reachedPerSecond"));
        assertThat(Json.number(reached.get(0))).isBetween(999.0, 1001.0);
        assertThat(Json.number(reached.get(1))).isBetween(1999.0, 2001.0);
        assertThat(Json.number(Json.object(json.get("response")).get("messages")))
                .isEqualTo(LoadStudy.LEAST_MESSAGES + 3000.0);
    }
}

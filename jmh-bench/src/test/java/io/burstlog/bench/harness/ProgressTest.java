// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressTest {

    private long seconds;

    @Test
    void itSaysHowLongTheRestTakesButNotEachTime() {
        List<String> said = new ArrayList<>();
        Progress progress = new Progress("any", () -> seconds * 1_000_000_000, said::add);

        seconds = 10;
        progress.is(0.25);
        seconds = 12;
        progress.is(0.3);
        seconds = 20;
        progress.is(0.8);
        seconds = 30;
        progress.is(3);

        assertThat(said)
                .containsExactly(
                        "any          .. 25% done, about 30 s left",
                        "any          .. 80% done, about 5 s left", "any          .. 100% done, about 0 s left");
    }

    @Test
    void aPartOfItIsThatPartOfTheWhole() {
        List<String> said = new ArrayList<>();
        Progress progress = new Progress("any", () -> seconds * 1_000_000_000, said::add);

        seconds = 30;
        progress.part(1, 4).is(0.5);

        assertThat(said).containsExactly("any          .. 38% done, about 50 s left");
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TurnsTest {

    @Test
    void eachRoundBeginsWithAnotherAndEverySecondGoesBackwards() {
        List<String> all = List.of("a", "b", "c");

        assertThat(IntStream.range(0, 4).mapToObj(round -> Turns.of(all, round)))
                .containsExactly(
                        List.of("a", "b", "c"), List.of("b", "a", "c"), List.of("c", "a", "b"), List.of("a", "c", "b"));
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 7})
    void noneAlwaysComesBehindTheSame(int size) {
        List<Integer> all = IntStream.range(0, size).boxed().toList();
        Set<Integer> first = new HashSet<>();
        List<Set<Integer>> before =
                all.stream().map(each -> (Set<Integer>) new HashSet<Integer>()).toList();
        for (int round = 0; round < 2 * size; round++) {
            List<Integer> turns = Turns.of(all, round);
            assertThat(turns).containsExactlyInAnyOrderElementsOf(all);
            first.add(turns.get(0));
            for (int i = 1; i < size; i++) {
                before.get(turns.get(i)).add(turns.get(i - 1));
            }
        }

        assertThat(first).hasSize(size);
        assertThat(before).allSatisfy(others -> assertThat(others).hasSizeGreaterThan(1));
    }
}

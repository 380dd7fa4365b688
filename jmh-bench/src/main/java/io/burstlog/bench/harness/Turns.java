// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import java.util.List;
import java.util.stream.IntStream;

/** The order in which several are measured in rounds. */
public final class Turns {

    private Turns() {}

    /**
     * All of them, in the order of this round. Each round begins with another one, and every second goes backwards: so
     * none always comes behind the same other one.
     *
     * @param round from 0 on
     */
    public static <T> List<T> of(List<T> all, int round) {
        int step = round % 2 == 0 ? 1 : -1;
        return IntStream.range(0, all.size())
                .mapToObj(turn -> all.get(Math.floorMod(round + step * turn, all.size())))
                .toList();
    }
}

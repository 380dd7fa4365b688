/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The error sweep: every call of the engine that can fail does so, the first, the second, ... until a run ends without the
 * fault having struck; with every errno of its manual page, once and for ever. Then the same again in the recovery from
 * what the first fault left behind.
 *
 *     sweep [--seconds N] [--seed S] [--first-only] [--case "waiting: pwritev2#5 EIO once then pread#2 EIO once"]
 */
#include "layers.h"

#include <stdio.h>
#include <stdlib.h>

static const enum scenario swept[] = {SCENARIO_WAITING, SCENARIO_NEW, SCENARIO_NEW_EMPTY, SCENARIO_NEW_LINKED};

static struct fault_case first_case(uint32_t item, uint32_t step) {
    const struct fault_kind *kinds;
    const uint32_t count = (uint32_t)fault_kinds(&kinds);
    const struct fault_kind *kind = &kinds[item % count];
    return (struct fault_case){
        .scenario = swept[item / count],
        .fault_count = 1,
        .faults = {{.call = kind->call, .first = step + 1, .times = kind->times, .effect = kind->effect}},
    };
}

static uint32_t first_count(void) {
    const struct fault_kind *kinds;
    return (uint32_t)(sizeof swept / sizeof swept[0]) * (uint32_t)fault_kinds(&kinds);
}

static uint32_t second_faults(const uint32_t *calls, struct shim_fault *faults, uint32_t most) {
    const struct fault_kind *kinds;
    const int count = fault_kinds(&kinds);
    uint32_t filled = 0;
    for (int i = 0; i < count; i++) {
        for (uint32_t k = 1; k <= calls[kinds[i].call] && filled < most; k++) {
            faults[filled++] =
                (struct shim_fault){.call = kinds[i].call, .first = k, .times = kinds[i].times, .effect = kinds[i].effect};
        }
    }
    return filled;
}

int main(int argc, char **argv) {
    static const struct layer sweep = {
        .name = "sweep",
        .first_count = first_count,
        .first_case = first_case,
        .second_faults = second_faults,
        .has_weather = 1,
    };
    return layer_main(&sweep, argc, argv);
}

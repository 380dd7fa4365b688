/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kill points: the process is killed before and after every call of every kind that the engine makes; then once more in
 * every call of the recovery from it.
 *
 *     kill [--seconds N] [--seed S] [--first-only] [--case "waiting: pwritev2#5 kill-after once"]
 */
#include "layers.h"

static const enum scenario killed[] = {SCENARIO_WAITING, SCENARIO_STREAMS,   SCENARIO_ROLLS,     SCENARIO_PLANNED,
                                       SCENARIO_NEW,     SCENARIO_NEW_EMPTY, SCENARIO_NEW_LINKED};
static const int effects[] = {EFFECT_KILL_BEFORE, EFFECT_KILL_AFTER};

static uint32_t first_count(void) {
    return (uint32_t)(sizeof killed / sizeof killed[0]) * 2 * CALLS;
}

static struct fault_case first_case(uint32_t item, uint32_t step) {
    return (struct fault_case){
        .scenario = killed[item / (2 * CALLS)],
        .fault_count = 1,
        .faults = {{.call = (enum shim_call)(item / 2 % CALLS),
                    .first = step + 1,
                    .times = TIMES_ONCE,
                    .effect = effects[item % 2]}},
    };
}

static uint32_t second_faults(const uint32_t *calls, struct shim_fault *faults, uint32_t most) {
    uint32_t filled = 0;
    for (int call = 0; call < CALLS; call++) {
        for (uint32_t k = 1; k <= calls[call]; k++) {
            for (int i = 0; i < 2 && filled < most; i++) {
                faults[filled++] = (struct shim_fault){
                    .call = (enum shim_call)call, .first = k, .times = TIMES_ONCE, .effect = effects[i]};
            }
        }
    }
    return filled;
}

int main(int argc, char **argv) {
    static const struct layer kill_points = {
        .name = "kill",
        .first_count = first_count,
        .first_case = first_case,
        .second_faults = second_faults,
        .tells_points = 1,
    };
    return layer_main(&kill_points, argc, argv);
}

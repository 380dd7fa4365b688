/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kill points: the process is killed before and after every call of every kind that the engine makes; then once more in
 * every call of the recovery from that. With less than 20 seconds only before and after the calls that change a file.
 *
 *     kill [--seconds N] [--seed S] [--first-only] [--case "waiting: pwritev2#5 kill-after once"]
 */
#include "layers.h"

#define SECONDS_FOR_ALL 20

static const int effects[] = {EFFECT_KILL_BEFORE, EFFECT_KILL_AFTER};

static struct series {
    enum scenario scenario;
    enum shim_call call;
} series[SCENARIOS * CALLS];

/* A kill between two of these finds the files of a kill behind the first one, and acknowledgements that a kill before the
 * second one finds as well. Locks, descriptors and all memory that scenarios share end with the process. */
static int changes_a_file(enum shim_call call) {
    switch (call) {
    case CALL_fallocate:
    case CALL_fchmod:
    case CALL_fchown:
    case CALL_fdatasync:
    case CALL_fsync:
    case CALL_ftruncate:
    case CALL_futimens:
    case CALL_link:
    case CALL_linkat:
    case CALL_mkdir:
    case CALL_mkdirat:
    case CALL_open:
    case CALL_openat:
    case CALL_pwrite:
    case CALL_pwritev2:
    case CALL_rename:
    case CALL_renameat:
    case CALL_renameat2:
    case CALL_rmdir:
    case CALL_unlink:
    case CALL_unlinkat:
        return 1;
    default:
        return 0;
    }
}

/* Scenario `planned` kills only in compressing and deleting: all else is as in `rolls`. Scenario `reads` kills where
 * a file gets records or another name, too. Scenario `segments` kills where a file is changed or found. */
static int is_killed(enum scenario scenario, enum shim_call call) {
    if (scenario == SCENARIO_SEGMENTS) {
        return call == CALL_open || call == CALL_openat || call == CALL_pwrite || call == CALL_fsync ||
               call == CALL_fdatasync || call == CALL_mkdir || call == CALL_mkdirat || call == CALL_ftruncate ||
               call == CALL_unlinkat;
    }
    if (scenario == SCENARIO_READS && (call == CALL_renameat2 || call == CALL_fdatasync)) {
        return 1;
    }
    return (scenario != SCENARIO_PLANNED && scenario != SCENARIO_READS) || call == CALL_openat || call == CALL_pwrite ||
           call == CALL_fchmod || call == CALL_futimens || call == CALL_fsync || call == CALL_linkat ||
           call == CALL_unlinkat;
}

static uint32_t first_count(int seconds) {
    uint32_t filled = 0;
    for (int scenario = 0; scenario < SCENARIOS; scenario++) {
        for (int call = 0; call < CALLS; call++) {
            if (is_killed((enum scenario)scenario, (enum shim_call)call) &&
                (seconds >= SECONDS_FOR_ALL || changes_a_file((enum shim_call)call))) {
                series[filled++] = (struct series){(enum scenario)scenario, (enum shim_call)call};
            }
        }
    }
    return 2 * filled;
}

static struct fault_case first_case(uint32_t item, uint32_t step) {
    const enum scenario scenario = series[item / 2].scenario;
    return (struct fault_case){
        .scenario = scenario,
        .fault_count = 1,
        .faults = {{.call = series[item / 2].call,
                    .first = case_number(scenario, step),
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

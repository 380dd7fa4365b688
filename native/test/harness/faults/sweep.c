/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The error sweep: each call of the engine that can fail does so, the first of its kind, the second, and so on, until a
 * run ends without a strike; with each errno of its manual page, once and for ever. Then the same again in the recovery
 * from the first fault.
 *
 *     sweep [--seconds N] [--seed S] [--first-only] [--case "waiting: pwritev2#5 EIO once then pread#2 EIO once"]
 */
#include "layers.h"

#include <errno.h>
#include <stdlib.h>

/* The other scenarios of new rings differ from `new` only in how the ring gets its name. */
static int is_of_the_name(enum shim_call call) {
    return call == CALL_renameat || call == CALL_renameat2 || call == CALL_linkat || call == CALL_unlinkat ||
           call == CALL_fstatat || call == CALL_fchmod || call == CALL_fchown || call == CALL_fsync ||
           call == CALL_openat;
}

/* In scenario `streams` each call fails in its first way only; writes fail in all ways. */
/* A roll's calls on names fail in all ways, its other calls in their first way and for want of space or access. */
static int is_of_a_roll(const struct fault_kind *kind, int first_way) {
    switch (kind->call) {
    case CALL_renameat2:
    case CALL_link:
    case CALL_lstat:
        return 1;
    case CALL_pwrite:
    case CALL_open:
    case CALL_fsync:
    case CALL_fdatasync:
    case CALL_stat:
    case CALL_fstat:
        return kind->effect == first_way || kind->effect == ENOSPC || kind->effect == EROFS || kind->effect == EACCES;
    default:
        return 0;
    }
}

/* The calls of compressing and deleting, each in its first way. */
static int is_of_what_follows_a_roll(const struct fault_kind *kind, int first_way) {
    switch (kind->call) {
    case CALL_openat:
    case CALL_readdir:
    case CALL_fstatat:
    case CALL_flock:
    case CALL_fchmod:
    case CALL_futimens:
    case CALL_fsync:
    case CALL_linkat:
    case CALL_unlinkat:
    case CALL_pwrite:
        return kind->effect == first_way;
    default:
        return 0;
    }
}

/* The calls of segments and of a consumer's position, each in its first way, and on a full disk. */
static int is_of_segments(const struct fault_kind *kind, int first_way) {
    switch (kind->call) {
    case CALL_open:
    case CALL_openat:
    case CALL_pread:
    case CALL_pwrite:
    case CALL_fsync:
    case CALL_fdatasync:
    case CALL_flock:
    case CALL_ftruncate:
    case CALL_mkdir:
    case CALL_mkdirat:
    case CALL_inotify_init1:
    case CALL_inotify_add_watch:
    case CALL_readdir:
    case CALL_unlinkat:
    case CALL_calloc:
    case CALL_malloc:
        return kind->effect == first_way || kind->effect == ENOSPC;
    default:
        return 0;
    }
}

/* The calls of readers: each fails once, in its first way. A folder is listed until two listings are equal, so it can be
 * listed wrongly only for ever. */
static int is_of_readers(const struct fault_kind *kind, int first_way) {
    switch (kind->call) {
    case CALL_connect:
    case CALL_fstat:
    case CALL_mmap:
    case CALL_open:
    case CALL_opendir:
    case CALL_poll:
    case CALL_pread:
    case CALL_recvmsg:
    case CALL_socket:
    case CALL_stat:
        return kind->effect == first_way && kind->times == TIMES_ONCE;
    case CALL_readdir:
        return kind->effect == first_way && kind->times == TIMES_FOREVER;
    default:
        return 0;
    }
}

static int is_swept(enum scenario scenario, const struct fault_kind *kind, int first_way) {
    switch (scenario) {
    case SCENARIO_WAITING:
    case SCENARIO_NEW:
        return 1;
    case SCENARIO_STREAMS:
        return kind->effect == first_way || kind->call == CALL_pwrite;
    case SCENARIO_ROLLS:
        return is_of_a_roll(kind, first_way);
    case SCENARIO_SEGMENTS:
        return is_of_segments(kind, first_way);
    case SCENARIO_READS:
        return is_of_readers(kind, first_way);
    case SCENARIO_PLANNED:
        return is_of_what_follows_a_roll(kind, first_way);
    default:
        return is_of_the_name(kind->call);
    }
}

static struct series {
    enum scenario scenario;
    struct fault_kind kind;
} * series;

static uint32_t first_count(int seconds) {
    (void)seconds;
    const struct fault_kind *kinds;
    const int count = fault_kinds(&kinds);
    uint32_t filled = 0;
    series = calloc((size_t)count * SCENARIOS, sizeof *series);
    for (int scenario = 0; scenario < SCENARIOS; scenario++) {
        int first_way = EFFECT_NONE;
        for (int i = 0; i < count; i++) {
            first_way = i > 0 && kinds[i].call == kinds[i - 1].call ? first_way : kinds[i].effect;
            if (is_swept((enum scenario)scenario, &kinds[i], first_way)) {
                series[filled++] = (struct series){(enum scenario)scenario, kinds[i]};
            }
        }
    }
    return filled;
}

static struct fault_case first_case(uint32_t item, uint32_t step) {
    const struct fault_kind *kind = &series[item].kind;
    const enum scenario scenario = series[item].scenario;
    return (struct fault_case){
        .scenario = scenario,
        .fault_count = 1,
        .faults =
            {{.call = kind->call, .first = case_number(scenario, step), .times = kind->times, .effect = kind->effect}},
    };
}

static uint32_t second_faults(const uint32_t *calls, struct shim_fault *faults, uint32_t most) {
    const struct fault_kind *kinds;
    const int count = fault_kinds(&kinds);
    uint32_t filled = 0;
    for (int i = 0; i < count; i++) {
        for (uint32_t k = 1; k <= calls[kinds[i].call] && filled < most; k++) {
            faults[filled++] = (struct shim_fault){
                .call = kinds[i].call, .first = k, .times = kinds[i].times, .effect = kinds[i].effect};
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

/* SPDX-License-Identifier: Apache-2.0 */
/* A run whose operations the seed chooses, in any order. */
#include <errno.h>

#include "base/error.h"
#include "harness/simulator/log.h"
#include "harness/simulator/scenarios.h"

#define STEPS 40

static uint32_t any_length(struct world *world) {
    switch (world_random(world, 5)) {
    case 0:
        return 0;
    case 1:
        return (uint32_t)(PAYLOAD_MIN_BYTES + world_random(world, 100));
    case 2:
        return (uint32_t)(3900 + world_random(world, 400));
    default:
        return (uint32_t)(PAYLOAD_MIN_BYTES + world_random(world, 2500));
    }
}

static void any_step(struct world *world) {
    switch (world_random(world, 14)) {
    case 0:
    case 1:
    case 2:
    case 3:
        log_append(world, any_length(world));
        return;
    case 4:
    case 5:
    case 6:
        for (uint64_t i = 1 + world_random(world, 5); i > 0; i--) {
            log_enqueue(world, any_length(world));
        }
        return;
    case 7:
        log_commit(world);
        return;
    case 8:
    case 9:
        log_drain(world, 0);
        return;
    case 10:
        log_drain(world, 1);
        return;
    case 11:
        world->device.fail_errno = EIO;
        world->device.fail_write_in = world_random(world, 4) == 0 ? (int)world_random(world, 3) : -1;
        return;
    case 12:
        world->files.space_bytes = world_random(world, 3) == 0 ? (int64_t)world_random(world, 3000) : -1;
        world->files.write_at_most = world_random(world, 3) == 0 ? 200 + (size_t)world_random(world, 1500) : 0;
        world->files.fail_sync_in =
            world_random(world, 4) == 0 && (!world->copy.is_kept || world->copy.may_fail) ? 0 : -1;
        return;
    default:
        world->device.fail_write_in = -1;
        log_reopen(world);
        return;
    }
}

/* Opens, closes, renames or stalls a stream, or gives it another file. */
static void any_step_of_a_stream(struct world *world) {
    static const char *const names[] = {"audit", "trace", ""};
    static const char *const paths[] = {"/logs/audit.log", "/logs/trace.log", "/logs/other.log"};
    const unsigned which = 1 + (unsigned)world_random(world, STREAMS_MAX - 1);
    const char *path = paths[world_random(world, 3)];
    if (world_random(world, 3) == 0) {
        world->files.stalled = world_random(world, 2) == 0 ? path : NULL;
    } else if (world->streams[which].is_open) {
        log_close_stream(world, which);
    } else {
        world->streams[which].has_segments = world->has_segments && which == 1 && world_random(world, 4) > 0;
        log_open_stream(world, which, names[world_random(world, 3)], path); /* refused if another stream has it */
    }
}

static void choose_stream(struct world *world) {
    const unsigned which = (unsigned)world_random(world, STREAMS_MAX);
    log_write_to(world, which > 0 && !world->streams[which].is_open ? 0 : which);
}

/* Rolls in one of several ways, *left times at most: the file system has room for so many files. */
static void any_roll(struct world *world, unsigned *left) {
    static const struct sim_roll rolls[] = {{.footer_bytes = 0},
                                            {.footer_bytes = 600, .header_bytes = 20},
                                            {.footer_bytes = 20, .header_bytes = 4000},
                                            {.is_enqueued = 1},
                                            {.footer_bytes = 20, .target = "/logs/orders.log.old"}};
    if (*left > 0 && log_roll(world, &rolls[world_random(world, world->has_streams ? 4 : 5)]) > 0) {
        --*left;
    }
    world->files.fail_names = world->model.rolls_may_fail && world_random(world, 3) == 0 ? -EACCES : 0;
}

static void run_any(struct world *world, int has_streams) {
    unsigned rolls_left = world->model.has_rolls ? 5 : 0;
    log_open_whole(world);
    for (int step = 0; step < STEPS; step++) {
        if (rolls_left > 0 && world_random(world, 5) == 0) {
            any_roll(world, &rolls_left);
        }
        if (has_streams && world_random(world, 4) == 0) {
            any_step_of_a_stream(world);
        } else {
            any_step(world);
        }
        if (has_streams) {
            choose_stream(world);
        }
        if (ring_has_failed(world->engine->ring)) {
            world->device.fail_write_in = -1;
            log_drain(world, 0);
            log_reopen(world);
        }
    }
    world->device.fail_write_in = -1;
    world->files.space_bytes = -1;
    world->files.write_at_most = 0;
    world->files.fail_sync_in = -1;
    world->files.stalled = NULL;
    world->files.fail_names = 0;
}

void anything(struct world *world) {
    run_any(world, 0);
}

/* Without syncs that fail, and with a copy that is always there: it never misses a record. */
void anything_with_a_copy(struct world *world) {
    world->copy.is_kept = 1;
    run_any(world, 0);
}

/* A log that was diverted by a failed sync goes back at an open, which does not wait for the copy. */
void anything_with_a_failing_copy(struct world *world) {
    world->copy.may_fail = 1;
    anything_with_a_copy(world);
}

void anything_with_streams(struct world *world) {
    world->has_streams = 1;
    run_any(world, 1);
}

void anything_with_segments(struct world *world) {
    world->has_segments = 1;
    anything_with_streams(world);
}

/* The engine or a caller rolls; the folder may be read-only. */
static void choose_rolls(struct world *world) {
    world->model.has_rolls = 1;
    world->rolls_by_caller = (int)world_random(world, 2);
    world->rolls_planned = (int)world_random(world, 2);
    world->model.rolls_may_fail = (int)world_random(world, 2);
}

void anything_with_rolls(struct world *world) {
    choose_rolls(world);
    world->has_streams = (int)world_random(world, 2);
    run_any(world, world->has_streams);
}

/* A ring with a second copy, and with some of all that a log may have. */
void anything_of_a_copied_ring(struct world *world) {
    world->copy.is_kept = 1;
    world->copy.may_fail = world_random(world, 4) > 0;
    world->has_index = world->index_may_fail = (int)world_random(world, 2);
    world->has_segments = (int)world_random(world, 2);
    world->has_streams = world->has_segments || world_random(world, 2) == 0;
    if (world_random(world, 2) == 0) {
        choose_rolls(world);
    }
    run_any(world, world->has_streams);
}

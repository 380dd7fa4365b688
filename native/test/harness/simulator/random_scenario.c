/* SPDX-License-Identifier: Apache-2.0 */
/* A run that the seed makes up: everything in any order. */
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
        world->files.fail_sync_in = world_random(world, 4) == 0 ? 0 : -1;
        return;
    default:
        world->device.fail_write_in = -1;
        log_reopen(world);
        return;
    }
}

void anything(struct world *world) {
    log_open_whole(world);
    for (int step = 0; step < STEPS; step++) {
        any_step(world);
        if (ring_has_failed(world->engine->ring)) {
            world->device.fail_write_in = -1;
            log_drain(world, 0);
            log_reopen(world);
        }
    }
    world->device.fail_write_in = -1;
    world->files.space_bytes = -1;
    world->files.fail_sync_in = -1;
}

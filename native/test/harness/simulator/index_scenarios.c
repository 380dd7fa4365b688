/* SPDX-License-Identifier: Apache-2.0 */
/* A log file with an index: over blocks, rolls and reopens; on a full disk; with a sync that fails; now and then. */
#include "base/error.h"
#include "harness/simulator/log.h"
#include "harness/simulator/scenarios.h"

static void append(struct world *world, uint32_t length) {
    if (log_append(world, length) < 0) {
        violation(world, "an append of %u bytes failed: %s", length, error_text());
    }
}

static void roll(struct world *world) {
    if (log_roll(world, &plain_roll) < 0) {
        violation(world, "a roll could not be appended: %s", error_text());
    }
}

void index_beside_a_log_file(struct world *world) {
    world->has_index = 1;
    log_open_whole(world);
    append(world, 200);
    log_drain_all(world);
    append(world, 900);
    log_drain(world, 1);
    for (uint32_t i = 0; i < 6; i++) {
        append(world, 100 + 300 * i);
        log_drain(world, i % 2 == 0);
    }
    log_reopen(world);
    append(world, 50);
    log_drain_all(world);
    append(world, 60);
}

void index_of_rolled_files(struct world *world) {
    world->has_index = 1;
    log_open_whole(world);
    append(world, 200);
    log_drain(world, 1);
    roll(world);
    append(world, 1500);
    append(world, 70);
    log_drain_all(world);
    roll(world);
    append(world, 80);
    log_reopen(world);
    append(world, 90);
}

/* The log goes on without an index; the files are checked as always. */
void index_on_a_full_disk(struct world *world) {
    world->has_index = world->index_may_fail = 1;
    log_open_whole(world);
    append(world, 200);
    log_drain_all(world);
    world->files.space_bytes = 400;
    append(world, 300);
    log_drain(world, 1);
    world->files.space_bytes = -1;
    append(world, 100);
    log_drain_all(world);
    roll(world);
    append(world, 200);
    log_drain_all(world);
}

void sync_of_an_index_fails(struct world *world) {
    world->has_index = world->index_may_fail = 1;
    log_open_whole(world);
    append(world, 200);
    log_drain_all(world);
    append(world, 300);
    world->files.fail_sync_in = 1; /* the second of the step: the log file's comes first */
    log_drain(world, 1);
    world->files.fail_sync_in = -1;
    append(world, 100);
    log_reopen(world);
    append(world, 100);
    log_drain_all(world);
}

void index_comes_and_goes(struct world *world) {
    world->has_index = world->index_may_fail = 1;
    log_open_whole(world);
    append(world, 200);
    log_drain_all(world);
    append(world, 100);
    world->has_index = 0;
    log_reopen(world);
    append(world, 300);
    log_drain_all(world);
    world->has_index = 1;
    log_reopen(world);
    append(world, 400);
    log_drain_all(world);
}

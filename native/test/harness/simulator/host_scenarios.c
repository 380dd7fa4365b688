/* SPDX-License-Identifier: Apache-2.0 */
/* The host's misfortunes: memory runs out, sectors cannot be read, a device lies, a format is cut short. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "harness/simulator/log.h"
#include "harness/simulator/scenarios.h"

static void append(struct world *world, uint32_t length) {
    if (log_append(world, length) < 0) {
        violation(world, "an append failed: %s", error_text());
    }
}

/* Each allocation of an open fails once: the open is refused and leaves nothing behind. A running log allocates
 * nothing. */
void allocations_fail(struct world *world) {
    log_open_whole(world);
    append(world, 300);
    log_close(world);
    int rc = -ENOMEM;
    for (int k = 0; rc < 0; k++) {
        world->fail_allocation_in = k;
        rc = log_open(world);
        if (rc < 0 && (rc != -ENOMEM || *error_text() == '\0' || world->allocations != 0)) {
            violation(world, "allocation %d failed: the open says %s (%s), %u allocations are left", k, error_name(-rc),
                      error_text(), world->allocations);
        }
    }
    const unsigned allocations = world->allocations;
    world->fail_allocation_in = 0;
    append(world, 300);
    log_drain_all(world);
    if (world->allocations != allocations || world->fail_allocation_in != 0) {
        violation(world, "a running log allocates memory");
    }
    world->fail_allocation_in = -1;
}

/* A sector that cannot be read damages the records in it, and no other. */
void sectors_cannot_be_read(struct world *world) {
    for (int round = 0; round < 3; round++) {
        log_open_whole(world);
        const uint64_t first = world->model.offered + 1;
        for (int i = 0; i < 5; i++) {
            append(world, 1200);
        }
        const struct ring *ring = world->engine->ring;
        const uint64_t block = atomic_load(&ring->durable_position) - 4 * WORLD_BLOCK_BYTES;
        const size_t place = sim_device_place(LAYOUT_DATA_OFFSET + block % ring->geometry.capacity_bytes);
        log_close(world);
        world->model.medium_damaged = 1;
        world->device.unreadable = place + SECTOR_BYTES * world_random(world, 3);
        world->device.unreadable_bytes = SECTOR_BYTES;
        world->model.records[first + 1].damaged = 1;
        log_open_whole(world);
        append(world, 300);
        log_drain_all(world);
        log_check_files(world);
        log_close(world);
        world->device.unreadable_bytes = 0;
    }
}

/* For a while no block of an epoch can be read. Its records are lost then, and must not come back behind later ones. */
void epoch_cannot_be_read_for_a_while(struct world *world) {
    log_open_whole(world);
    append(world, 1200);
    const uint64_t kept = world->model.offered;
    log_reopen(world);
    const struct ring *ring = world->engine->ring;
    const uint64_t marker = ring->begin_position - WORLD_BLOCK_BYTES;
    for (int i = 0; i < 3; i++) {
        append(world, 1200);
    }
    log_close(world);
    world->device.unreadable = sim_device_place(LAYOUT_DATA_OFFSET + marker);
    world->device.unreadable_bytes = 4 * WORLD_BLOCK_BYTES;
    world->model.acknowledged = kept; /* nothing proves the records of the unreadable epoch */
    log_open_whole(world);
    world->device.unreadable_bytes = 0;
    append(world, 1200);
    log_reopen(world);
    append(world, 1200);
    log_drain_all(world);
    log_check_files(world);
}

static void open_and_expect(struct world *world, int hides, uint32_t epoch) {
    log_open_whole(world);
    const struct recovery *recovery = &world->engine->view.recovery;
    if ((recovery->hidden_to > 0) != hides || (!hides && recovery->epoch_highest != epoch)) {
        violation(world, "I8: positions %llu..%llu are said to hide something, in epoch %u after %u",
                  (unsigned long long)recovery->hidden_from, (unsigned long long)recovery->hidden_to,
                  recovery->epoch_highest, epoch);
    }
}

/* After a power cut the block of a write that was never acknowledged cannot be read. One open says so, once; no
 * record is called lost. */
void end_of_the_log_cannot_be_read(struct world *world) {
    for (int round = 0; round < 3; round++) {
        log_open_whole(world);
        append(world, 1200);
        append(world, 300);
        const struct ring *ring = world->engine->ring;
        const uint64_t end = atomic_load(&ring->durable_position) % ring->geometry.capacity_bytes;
        log_close(world);
        world->device.unreadable = sim_device_place(LAYOUT_DATA_OFFSET + end);
        world->device.unreadable_bytes = SECTOR_BYTES;
        open_and_expect(world, 1, 0);
        uint32_t epoch = world->engine->view.recovery.epoch_highest;
        log_close(world);
        open_and_expect(world, 0, ++epoch);
        append(world, 300);
        log_drain_all(world);
        log_close(world);
        open_and_expect(world, 0, ++epoch);
        log_drain_all(world);
        log_check_files(world);
        log_close(world);
        world->device.unreadable_bytes = 0;
    }
}

void checkpoint_cannot_be_read(struct world *world) {
    log_open_whole(world);
    append(world, 300);
    log_drain(world, 0);
    append(world, 400);
    const unsigned newest = ledger_newest(world->engine->view.ledger);
    log_close(world);
    world->device.unreadable = sim_device_place(LAYOUT_CHECKPOINT_OFFSET(newest));
    world->device.unreadable_bytes = SECTOR_BYTES;
    world->model.drained = 0;
    log_open_whole(world);
    append(world, 300);
    log_drain_all(world);
}

/* A device that lies may lose records. But recovery invents none, and reports each hole in the ring. */
void device_lies(struct world *world) {
    world->device.lies = 1;
    log_open_whole(world);
    for (int i = 0; i < 9; i++) {
        append(world, 200 + 700 * (uint32_t)(i % 3));
        if (i % 4 == 3) {
            log_drain(world, 0);
            log_drain(world, 0);
        }
    }
    log_reopen(world);
    for (int i = 0; i < 5; i++) {
        log_enqueue(world, 300);
    }
    log_commit(world);
    append(world, 5000);
    world->device.lies = 0;
}

static void format_and_use(struct world *world) {
    world->model.is_formatting = 1;
    log_format(world);
    world->model.is_formatting = 0;
    log_open_whole(world);
    append(world, 300);
    log_drain_all(world);
}

void format_of_an_empty_medium(struct world *world) {
    memset(world->device.medium, 0, world->device.medium_bytes);
    format_and_use(world);
}

/* The old records are whole, stand where the new ring's records are looked for, and have positions that fit. */
void format_over_another_ring(struct world *world) {
    log_open_whole(world);
    append(world, 300);
    append(world, 400);
    log_close(world);
    memset(&world->model, 0, sizeof world->model);
    format_and_use(world);
}

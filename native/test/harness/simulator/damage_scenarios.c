/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The medium damages records that were durable: bits rot, and blocks are lost, written elsewhere, or replaced by what
 * stood there a lap ago. Each damaged record is one that later records prove to have been durable. So recovery must
 * report it with its exact number, and keep the later ones.
 */
#include <string.h>

#include "base/error.h"
#include "media/record.h"
#include "harness/simulator/log.h"
#include "harness/simulator/scenarios.h"

#define RECORDS 6u

static void append(struct world *world, uint32_t length) {
    if (log_append(world, length) < 0) {
        violation(world, "an append failed: %s", error_text());
    }
}

/* Where the record of this sequence stands in the medium. */
static size_t place_of(const struct world *world, uint64_t sequence) {
    const struct ring *ring = world->engine->ring;
    const uint64_t capacity = ring->geometry.capacity_bytes;
    const uint64_t end = atomic_load(&ring->durable_position);
    for (uint64_t position = end > capacity ? end - capacity : 0; position < end; position += RECORD_ALIGN_BYTES) {
        const struct record_header *header = record_at(ring->image, capacity, position);
        if (record_has_header(ring->image, capacity, position, ring->geometry.crc_seed) &&
            header->type == RECORD_DATA && header->sequence == sequence) {
            return sim_device_place(LAYOUT_DATA_OFFSET + position % capacity);
        }
    }
    violation(world, "record %llu is not in the ring", (unsigned long long)sequence);
}

/* Appends RECORDS records of one block each, and returns the sequence of the first. The last records prove the
 * others. */
static uint64_t append_some(struct world *world, uint32_t length) {
    const uint64_t first = world->model.offered + 1;
    for (uint32_t i = 0; i < RECORDS; i++) {
        append(world, length);
    }
    return first;
}

static void is_lost(struct world *world, uint64_t sequence) {
    world->model.records[sequence].damaged = 1;
}

static void recover_and_go_on(struct world *world) {
    log_open_whole(world);
    append(world, 300);
    log_drain_all(world);
    log_check_files(world);
}

static void flip(struct world *world, size_t place) {
    world->model.medium_damaged = 1;
    world->device.medium[place] ^= (uint8_t)(1u << world_random(world, 8));
}

void payload_rots(struct world *world) {
    log_open_whole(world);
    const uint64_t second = append_some(world, 700) + 1;
    const size_t place = place_of(world, second);
    log_close(world);
    flip(world, place + RECORD_HEADER_BYTES + world_random(world, 700));
    is_lost(world, second);
    recover_and_go_on(world);
}

/* Recovery reports the roll as lost, and the log goes on in the same file. */
void roll_rots(struct world *world) {
    log_open_whole(world);
    append(world, 700);
    log_drain_all(world);
    append(world, 700);
    const int64_t roll = log_roll(world, &plain_roll);
    append_some(world, 700);
    const size_t place = place_of(world, (uint64_t)roll);
    log_close(world);
    flip(world, place + world_random(world, RECORD_HEADER_BYTES + 40));
    is_lost(world, (uint64_t)roll);
    recover_and_go_on(world);
}

void header_rots(struct world *world) {
    log_open_whole(world);
    const uint64_t first = append_some(world, 700);
    const size_t place = place_of(world, first + 3);
    log_close(world);
    flip(world, place + world_random(world, RECORD_HEADER_BYTES));
    is_lost(world, first + 3);
    recover_and_go_on(world);
}

void one_record_of_a_commit_rots(struct world *world) {
    log_open_whole(world);
    const uint64_t first = world->model.offered + 1;
    for (int i = 0; i < 6; i++) {
        log_enqueue(world, 200);
    }
    log_commit(world);
    append(world, 100);
    const size_t place = place_of(world, first + 2);
    log_close(world);
    flip(world, place + world_random(world, RECORD_HEADER_BYTES + 200));
    is_lost(world, first + 2);
    recover_and_go_on(world);
}

void block_is_lost(struct world *world) {
    log_open_whole(world);
    const uint64_t first = append_some(world, 700);
    const size_t place = place_of(world, first + 1);
    log_close(world);
    world->model.medium_damaged = 1;
    memset(world->device.medium + place, 0, 2 * WORLD_BLOCK_BYTES);
    is_lost(world, first + 1);
    is_lost(world, first + 2);
    recover_and_go_on(world);
}

void write_went_elsewhere(struct world *world) {
    log_open_whole(world);
    const uint64_t first = append_some(world, 700);
    const size_t from = place_of(world, first + 3), to = place_of(world, first + 1);
    log_close(world);
    world->model.medium_damaged = 1;
    memcpy(world->device.medium + to, world->device.medium + from, WORLD_BLOCK_BYTES);
    is_lost(world, first + 1);
    recover_and_go_on(world);
}

/* The device loses a write that it acknowledged: the block still holds what was written there a lap ago, and is
 * whole. */
void block_is_a_lap_old(struct world *world) {
    static uint8_t before[MEDIUM_BYTES_MAX];
    log_open_whole(world);
    append_some(world, 700);
    log_drain_all(world);
    append_some(world, 700);
    log_drain_all(world);
    memcpy(before, world->device.medium, world->device.medium_bytes);
    append_some(world, 700);
    log_drain_all(world);
    const uint64_t first = append_some(world, 700);
    const size_t place = place_of(world, first + 2);
    log_close(world);
    world->model.medium_damaged = 1;
    memcpy(world->device.medium + place, before + place, WORLD_BLOCK_BYTES);
    is_lost(world, first + 2);
    recover_and_go_on(world);
}

void marker_is_lost(struct world *world) {
    log_open_whole(world);
    append_some(world, 700);
    log_reopen(world);
    const size_t place =
        sim_device_place(LAYOUT_DATA_OFFSET + (world->engine->ring->begin_position - WORLD_BLOCK_BYTES) %
                                                  world->engine->ring->geometry.capacity_bytes);
    append(world, 700);
    append(world, 700);
    log_close(world);
    world->model.medium_damaged = 1;
    memset(world->device.medium + place, 0x5a, WORLD_BLOCK_BYTES);
    recover_and_go_on(world);
}

/* A loss stays a loss: the marker lists it, and no later recovery finds something else there. */
void damage_is_found_again_after_a_crash(struct world *world) {
    log_open_whole(world);
    const uint64_t first = append_some(world, 700);
    const size_t place = place_of(world, first + 1);
    log_close(world);
    flip(world, place + RECORD_HEADER_BYTES + 5);
    is_lost(world, first + 1);
    world->files.space_bytes = 0;
    log_open_whole(world);
    log_drain(world, 1);
    append(world, 700);
    log_reopen(world);
    log_drain(world, 1);
    log_reopen(world);
    world->files.space_bytes = -1;
    log_drain_all(world);
    log_check_files(world);
}

/* A marker that lists losses must not use up the last block: the ring must open again and again. */
void full_ring_is_damaged(struct world *world) {
    log_open_whole(world);
    world->files.space_bytes = 0;
    while (log_append(world, 3000) > 0) {
    }
    const size_t place = place_of(world, 3);
    log_close(world);
    flip(world, place + RECORD_HEADER_BYTES + 7);
    is_lost(world, 3);
    for (int i = 0; i < 4; i++) {
        log_open_whole(world);
        log_drain(world, 1);
        log_close(world);
    }
    world->files.space_bytes = -1;
    log_open_whole(world);
    log_drain_all(world);
    append(world, 300);
}

/* Nobody knows the stream of a record that rots: the file of each stream reports the loss. */
void record_of_a_stream_rots(struct world *world) {
    log_open_whole(world);
    log_open_stream(world, 1, "audit", "/logs/audit.log");
    log_open_stream(world, 2, "trace", "/logs/trace.log");
    log_open_wanted(world);
    append(world, 200);
    log_drain_all(world);
    size_t place = 0;
    for (unsigned i = 0; i < 2 * STREAMS_MAX; i++) {
        log_write_to(world, i % STREAMS_MAX);
        append(world, 400);
        place = i == 1 ? place_of(world, world->model.offered) : place;
    }
    log_close(world);
    flip(world, place + RECORD_HEADER_BYTES + world_random(world, 400));
    is_lost(world, 3);
    log_open_whole(world);
    log_open_wanted(world);
    log_write_to(world, 1);
    append(world, 100);
    log_drain_all(world);
}

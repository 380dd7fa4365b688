/* SPDX-License-Identifier: Apache-2.0 */
/* Readers look between any two operations, while records go from the ring to the file, and files are rolled and go. */
#include <stdio.h>

#include "base/error.h"
#include "harness/simulator/log.h"
#include "harness/simulator/readers.h"
#include "harness/simulator/scenarios.h"

#define LOG "/logs/orders.log"

static void append(struct world *world, uint32_t length) {
    if (log_append(world, length) < 0) {
        violation(world, "an append of %u bytes failed: %s", length, error_text());
    }
}

static void enqueue(struct world *world, uint32_t length) {
    if (log_enqueue(world, length) < 0) {
        violation(world, "%u bytes could not be enqueued: %s", length, error_text());
    }
}

static const char *roll(struct world *world) {
    static char name[FILE_NAME_MAX];
    if (log_roll(world, &plain_roll) < 0) {
        violation(world, "a roll could not be appended: %s", error_text());
    }
    snprintf(name, sizeof name, LOG ".r%u.%u", (unsigned)world->model.offered, world->model.incarnation);
    return name;
}

static void begin(struct world *world) {
    readers_attend(world);
    log_open_whole(world);
}

void readers_of_the_ring(struct world *world) {
    begin(world);
    append(world, 200);
    append(world, 0);
    enqueue(world, 3000);
    enqueue(world, 5000);
    log_commit(world);
    enqueue(world, 100); /* accepted, and never durable */
    log_reopen(world);
    append(world, 700);
}

/* A ring of 32 KiB gets four times as much. */
void readers_over_laps(struct world *world) {
    begin(world);
    for (uint32_t i = 0; i < 24; i++) {
        append(world, 1000 + 411 * i % 3000);
        if (i % 2 == 1) {
            log_drain_all(world);
        }
    }
}

/* Readers rest for long, and are told that they missed records: no ring and no file has these any more. */
void readers_over_laps_without_archives(struct world *world) {
    begin(world);
    world->has_readers = READERS_ARE_SLOW;
    for (uint32_t i = 0; i < 24; i++) {
        append(world, 1000 + 411 * i % 3000);
        if (i % 4 == 3) {
            const char *archive = roll(world);
            log_drain_all(world);
            readers_delete(world, archive);
        }
    }
}

void readers_over_opens(struct world *world) {
    begin(world);
    for (uint32_t i = 0; i < 3; i++) {
        append(world, 300);
        enqueue(world, 4000);
        log_commit(world);
        if (i == 1) {
            log_drain_all(world);
        }
        log_reopen(world);
        for (uint32_t empty = 0; empty < i; empty++) { /* epochs without a record */
            log_reopen(world);
        }
        append(world, 100 + i);
    }
}

void readers_beside_the_drain(struct world *world) {
    begin(world);
    for (uint32_t i = 0; i < 5; i++) {
        append(world, 900);
        log_drain(world, 0); /* written, and not synced */
        append(world, 150);
        log_drain(world, 1);
        enqueue(world, 2500);
        log_commit(world);
    }
    log_drain_all(world);
    append(world, 60);
}

void readers_beside_rolls(struct world *world) {
    readers_attend(world);
    rolls_one_after_another(world);
}

void readers_beside_rolls_by_a_caller(struct world *world) {
    world->rolls_by_caller = 1;
    begin(world);
    for (uint32_t i = 0; i < 3; i++) {
        append(world, 200);
        roll(world);
        append(world, 100);
        log_drain_all(world);
    }
}

void readers_beside_packed_archives(struct world *world) {
    char names[3][FILE_NAME_MAX];
    begin(world);
    for (unsigned i = 0; i < 3; i++) {
        append(world, 200);
        append(world, 900);
        strcpy(names[i], roll(world));
        log_drain_all(world);
        append(world, 400);
        if (i > 0) {
            readers_pack(world, names[i - 1]);
        }
    }
    log_drain_all(world);
    readers_pack(world, names[2]);
    append(world, 100);
}

void readers_beside_deleted_archives(struct world *world) {
    char names[3][FILE_NAME_MAX];
    begin(world);
    for (unsigned i = 0; i < 3; i++) {
        append(world, 200);
        strcpy(names[i], roll(world));
        log_drain_all(world);
        append(world, 400);
        if (i > 0) {
            readers_delete(world, names[i - 1]);
        }
    }
    log_drain_all(world);
    append(world, 100);
}

/* As logrotate does it. */
void readers_beside_a_renamed_file(struct world *world) {
    begin(world);
    append(world, 200);
    log_drain_all(world);
    append(world, 300);
    others_rename(world, LOG, LOG ".1");
    world_operation(world, "the file was renamed");
    append(world, 100);
    log_drain_all(world);
    append(world, 600);
    log_reopen(world);
    log_drain_all(world);
    append(world, 70);
}

/* Its sync fails, so its records go to another file. */
void readers_beside_a_diverted_file(struct world *world) {
    begin(world);
    append(world, 200);
    log_drain_all(world);
    append(world, 300);
    world->files.fail_sync_in = 0;
    log_drain(world, 1);
    world->files.fail_sync_in = -1;
    append(world, 100);
    log_drain_all(world);
    append(world, 50);
    log_reopen(world);
    append(world, 80);
}

void readers_beside_streams(struct world *world) {
    world->has_streams = 1;
    readers_attend(world);
    streams_side_by_side(world);
}

void readers_beside_anything(struct world *world) {
    world->copy.is_kept = (int)world_random(world, 2);
    begin(world);
    for (int step = 0; step < 30; step++) {
        switch (world_random(world, 6)) {
        case 0:
            if (world->model.offered < 40 && world_random(world, 3) == 0 && world->files.inode_count < 8) {
                roll(world);
            }
            break;
        case 1:
            log_drain(world, (int)world_random(world, 2));
            break;
        case 2:
            log_commit(world);
            break;
        case 3:
            if (world_random(world, 5) == 0) {
                log_reopen(world);
            }
            break;
        default:
            if (log_enqueue(world, 40 + (uint32_t)world_random(world, 3000)) < 0) {
                log_drain_all(world);
            }
            break;
        }
    }
    log_commit(world);
}

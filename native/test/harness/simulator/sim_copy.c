/* SPDX-License-Identifier: Apache-2.0 */
/* The peer that keeps the second copy. It acts between any two operations of the host, also while a write of the ring is
 * under way. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "harness/simulator/log.h"
#include "media/record.h"

static struct copier *copier_of(const struct world *world) {
    return world->engine == NULL ? NULL : world->engine->copy;
}

static void check_record(const struct world *world, const struct record_header *header, uint64_t sequence) {
    static char expected[WORLD_BLOCKS_MAX * WORLD_BLOCK_BYTES];
    const struct model_record *record = &world->model.records[sequence];
    payload_make(&world->model, sequence, expected);
    if (header->sequence != sequence || header->length != record->length ||
        record_judge_payload(header) != RECORD_VALID || memcmp(record_payload(header), expected, record->length) != 0) {
        violation(world, "I12: the copy got something else as record %llu", (unsigned long long)sequence);
    }
}

static int take(struct world *world) {
    static uint8_t room[8 * WORLD_BLOCK_BYTES];
    struct sim_copy *copy = &world->copy;
    struct copier_block block;
    const size_t bytes = (2 + world_random(world, 6)) * WORLD_BLOCK_BYTES;
    const int rc = copier_take(copier_of(world), room, bytes, 0, &block);
    if (rc < 0) {
        violation(world, "the copy gets nothing: %s", error_text());
    }
    if (rc == 1 && block.first_sequence != copy->last + 1) {
        violation(world, "I12: the copy ends with %llu, and gets %llu", (unsigned long long)copy->last,
                  (unsigned long long)block.first_sequence);
    }
    for (size_t at = 0; rc == 1 && at < block.bytes;) {
        const struct record_header *header = (const struct record_header *)(room + at);
        check_record(world, header, ++copy->last);
        copy->records[copy->last].epoch = header->epoch;
        copy->records[copy->last].is_missing = 0;
        copy->records[copy->last].durable = copy->last - header->in_flight - 1;
        copy->records[copy->last].incarnation = world->model.records[copy->last].incarnation;
        at += record_bytes(header->length);
    }
    return rc;
}

static void confirm(struct world *world, uint64_t sequence) {
    struct sim_copy *copy = &world->copy;
    if (sequence > copy->confirmed && copier_confirm(copier_of(world), sequence) == 0) {
        copy->confirmed = sequence;
    }
}

static void note_acknowledged(struct world *world) {
    struct sim_copy *copy = &world->copy;
    const uint64_t both = copy->confirmed < world->model.acknowledged ? copy->confirmed : world->model.acknowledged;
    copy->acknowledged = both > copy->acknowledged ? both : copy->acknowledged;
}

static void check_alike(const struct world *world) {
    const struct sim_copy *copy = &world->copy;
    for (uint64_t sequence = 1; sequence <= copy->last; sequence++) {
        if (!copy->records[sequence].is_missing &&
            copy->records[sequence].incarnation != world->model.records[sequence].incarnation) {
            violation(world, "I12: copy and ring have different records with sequence %llu",
                      (unsigned long long)sequence);
        }
    }
}

static void note_missing(struct world *world, uint64_t missing) {
    struct sim_copy *copy = &world->copy;
    for (; missing > 0; missing--) {
        copy->last++;
        copy->records[copy->last].is_missing = 1;
        if (copier_await(copier_of(world), copy->last, 0) != -ENODATA) {
            violation(world, "I12: record %llu was named as missing, and a call is told something else",
                      (unsigned long long)copy->last);
        }
    }
}

static int is_in_its_file(const struct world *world) {
    char path[LAYOUT_FILE_NAME_BYTES];
    engine_copy_path(world->engine, LAYOUT_MAIN_STREAM, path, sizeof path);
    return strcmp(path, world->file_name) == 0;
}

void sim_copy_begin(struct world *world) {
    struct sim_copy *copy = &world->copy;
    struct copier_begun begun;
    if (copier_of(world) == NULL) {
        return;
    }
    const int is_open_done = !copier_has_begun(copier_of(world)); /* the drain has not stepped since */
    copy->last = copy->confirmed + world_random(world, copy->last - copy->confirmed + 1);
    if (copier_begin(copier_of(world), copy->last, copy->records[copy->last].epoch, copy->records[copy->last].durable,
                     &begun) < 0) {
        violation(world, "the copy cannot begin: %s", error_text());
    }
    if (begun.missing > 0 && !copy->may_miss) {
        violation(world, "I12: the copy ends with %llu, and the ring begins with %llu", (unsigned long long)copy->last,
                  (unsigned long long)begun.next_sequence);
    }
    note_missing(world, begun.missing);
    copy->last -= begun.surplus;
    copy->records[copy->last].epoch = begun.epoch; /* it notes where it goes on */
    copy->records[copy->last].durable = begun.durable_sequence;
    copy->is_away = 0;
    if (is_open_done && copy->last == world->model.acknowledged && is_in_its_file(world)) {
        copy->may_miss = 0;
    }
    copy->confirmed = copy->last; /* what it begins behind, it has stored */
    if (copy->last < copy->acknowledged) {
        violation(world, "I12: record %llu was acknowledged as copied, and the copy is to drop it",
                  (unsigned long long)copy->acknowledged);
    }
    check_alike(world);
}

/* The copier takes, confirms, comes back, or is declared away. */
static void act(struct world *world) {
    struct sim_copy *copy = &world->copy;
    if (copy->is_away) {
        if (world_random(world, 3) == 0) {
            sim_copy_begin(world);
        }
    } else if (world_random(world, 3) == 0) {
        take(world);
    } else if (world_random(world, 3) == 0) {
        confirm(world, copy->confirmed + world_random(world, copy->last - copy->confirmed + 1));
    } else if (copy->may_fail && world_random(world, 12) == 0) {
        copier_away(copier_of(world));
        copy->is_away = copy->may_miss = 1;
    }
}

void sim_copy_step(struct world *world, int all) {
    struct sim_copy *copy = &world->copy;
    if (copier_of(world) == NULL || !copier_has_begun(copier_of(world))) {
        return;
    }
    if (!all) {
        act(world);
    } else {
        if (copy->is_away) {
            sim_copy_begin(world);
        }
        while (take(world) == 1) {
        }
        confirm(world, copy->last);
    }
    note_acknowledged(world);
}

void sim_copy_check(const struct world *world) {
    if (copier_of(world) != NULL) {
        check_alike(world);
        if (world->copy.last != world->model.acknowledged) {
            violation(world, "I12: the copy ends with %llu, and the log with %llu",
                      (unsigned long long)world->copy.last, (unsigned long long)world->model.acknowledged);
        }
    }
}

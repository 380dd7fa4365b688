/* SPDX-License-Identifier: Apache-2.0 */
/* A stream with a folder of segments, and somebody who reads the segments all the time. */
#include "base/error.h"
#include "harness/simulator/log.h"
#include "harness/simulator/scenarios.h"

#define AUDIT "/logs/audit.log"

static void add(struct world *world, int has_segments) {
    world->streams[1].has_segments = has_segments;
    if (log_open_stream(world, 1, "audit", AUDIT) < 0) {
        violation(world, "stream \"audit\" cannot be opened: %s", error_text());
    }
}

static void open_both(struct world *world) {
    log_open_whole(world);
    add(world, 1);
}

static void append_to(struct world *world, unsigned which, uint32_t length) {
    log_write_to(world, which);
    if (log_append(world, length) < 0) {
        violation(world, "an append to stream %u failed: %s", which, error_text());
    }
}

static void reopen(struct world *world) {
    log_reopen(world);
    log_open_wanted(world);
}

static void append_round(struct world *world, uint32_t length) {
    append_to(world, 1, length);
    append_to(world, 0, 100);
    append_to(world, 1, length / 2);
}

void segments_beside_a_log_file(struct world *world) {
    open_both(world);
    append_round(world, 200);
    log_drain_all(world);
    append_round(world, 300);
    log_drain(world, 0);
    reopen(world);
    append_round(world, 100);
    log_drain_all(world);
    append_to(world, 1, 100);
}

void segments_end_one_after_another(struct world *world) {
    open_both(world);
    for (uint32_t round = 0; round < 4; round++) {
        log_write_to(world, 1);
        for (uint32_t i = 0; i < 4; i++) {
            if (log_enqueue(world, 300 + 250 * i) < 0) {
                violation(world, "nothing could be enqueued: %s", error_text());
            }
        }
        log_commit(world);
        log_drain(world, (int)(round % 2));
        if (round == 2) {
            reopen(world);
        }
    }
    append_to(world, 1, 5000);
    log_drain_all(world);
    append_to(world, 1, 200);
}

/* The reader deletes segments that it has passed; the log never needs them again. */
void segments_that_are_passed_go(struct world *world) {
    open_both(world);
    for (uint32_t round = 0; round < 5; round++) {
        append_round(world, 900 + 300 * round);
        log_drain(world, (int)(round % 2));
        log_delete_segments(world);
        if (round == 2) {
            reopen(world);
        }
    }
    log_drain_all(world);
    log_delete_segments(world);
    append_round(world, 200);
}

/* The operator empties the folder, as docs/segments.md says: while the log is open, while it is closed, and when
 * frames behind the checkpoint are lost by that. */
void segments_begun_anew(struct world *world) {
    open_both(world);
    append_round(world, 300);
    log_drain_all(world);
    append_round(world, 900);
    log_drain(world, 0); /* written, and not synced */
    log_begin_segments_anew(world);
    append_round(world, 200);
    log_drain_all(world);
    append_round(world, 700);
    log_drain(world, 0);
    log_begin_segments_anew(world);
    reopen(world);
    append_round(world, 100);
    log_drain_all(world);
}

void segments_on_a_full_disk(struct world *world) {
    open_both(world);
    append_round(world, 600);
    log_drain_all(world);
    world->files.space_bytes = 2000;
    world->files.write_at_most = 700;
    for (int i = 0; i < 3; i++) {
        append_round(world, 600);
        log_drain(world, 1);
    }
    world->files.space_bytes = -1;
    log_drain_all(world);
    append_round(world, 600);
    log_drain(world, 0);
    reopen(world);
    append_round(world, 600);
}

void sync_of_a_segment_fails(struct world *world) {
    open_both(world);
    append_round(world, 300);
    for (int failing = 0; failing < 4; failing++) {
        append_round(world, 900);
        log_drain(world, 0);
        world->files.fail_sync_in = failing;
        log_drain(world, 1);
        world->files.fail_sync_in = -1;
    }
    log_drain_all(world);
    reopen(world);
    append_round(world, 100);
    log_drain_all(world);
}

void segments_come_and_go(struct world *world) {
    log_open_whole(world);
    add(world, 0);
    append_round(world, 100);
    log_drain(world, 0);
    log_close_stream(world, 1);
    add(world, 1);
    append_round(world, 1500);
    log_drain(world, 0);
    log_close_stream(world, 1);
    add(world, 0);
    append_round(world, 200);
    log_reopen(world);
    add(world, 1);
    append_round(world, 1500);
    log_drain_all(world);
}

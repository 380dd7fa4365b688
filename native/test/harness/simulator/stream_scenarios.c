/* SPDX-License-Identifier: Apache-2.0 */
/* Several streams on one ring: a stream stalls, comes, goes, is renamed, gets another file. */
#include <errno.h>

#include "base/error.h"
#include "harness/simulator/log.h"
#include "harness/simulator/scenarios.h"

#define AUDIT "/logs/audit.log"
#define TRACE "/logs/trace.log"
#define OTHER "/logs/other.log"

static void add(struct world *world, unsigned which, const char *name, const char *path) {
    if (log_open_stream(world, which, name, path) < 0) {
        violation(world, "stream \"%s\" cannot be opened with %s: %s", name, path, error_text());
    }
}

static void open_three(struct world *world) {
    log_open_whole(world);
    add(world, 1, "audit", AUDIT);
    add(world, 2, "trace", TRACE);
}

static void append_to(struct world *world, unsigned which, uint32_t length) {
    log_write_to(world, which);
    if (log_append(world, length) < 0) {
        violation(world, "an append to stream %u failed: %s", which, error_text());
    }
}

static void enqueue_to(struct world *world, unsigned which, uint32_t length) {
    log_write_to(world, which);
    if (log_enqueue(world, length) < 0) {
        violation(world, "nothing could be enqueued for stream %u: %s", which, error_text());
    }
}

/* Appends one record to each stream. */
static void append_round(struct world *world) {
    for (unsigned which = 0; which < STREAMS_MAX; which++) {
        append_to(world, which, 150 + 60 * which);
    }
}

void streams_side_by_side(struct world *world) {
    open_three(world);
    append_round(world);
    log_drain_all(world);
    for (unsigned i = 0; i < 7; i++) {
        enqueue_to(world, i % STREAMS_MAX, 100 + 500 * i);
    }
    log_commit(world);
    log_drain(world, 0);
    append_to(world, 1, 300);
    log_reopen(world);
    log_open_wanted(world);
    append_round(world);
    log_drain_all(world);
    append_to(world, 2, 100);
}

void streams_beside_no_log(struct world *world) {
    world->file_name = NULL;
    world->has_streams = 1; /* set before the first open, for a crash before it */
    open_three(world);
    append_to(world, 1, 200);
    append_to(world, 2, 200);
    log_drain(world, 0);
    append_to(world, 1, 100);
    log_reopen(world);
    log_open_wanted(world);
    append_to(world, 2, 100);
    log_drain_all(world);
    append_to(world, 1, 100);
}

void stream_stalls(struct world *world) {
    open_three(world);
    append_round(world);
    log_drain(world, 0);
    world->files.stalled = AUDIT;
    for (int i = 0; i < 3; i++) {
        append_round(world);
        if (log_drain(world, 1) != -ENOSPC) {
            violation(world, "nobody is told that %s cannot be written", AUDIT);
        }
        log_check_drained(world, 0);
        log_check_drained(world, 2);
    }
    world->files.stalled = NULL;
    log_drain_all(world);
    append_round(world);
}

void stream_stalls_until_the_ring_is_full(struct world *world) {
    open_three(world);
    append_to(world, 2, 100);
    world->files.stalled = TRACE;
    log_write_to(world, 1);
    while (log_append(world, 2500) > 0) {
        log_drain(world, 1);
    }
    log_drain(world, 1);
    if (log_append(world, 2500) != -EAGAIN) {
        violation(world, "space was released that a stalled stream still needs");
    }
    world->files.stalled = NULL;
    log_drain_all(world);
    append_round(world);
}

void stream_is_added(struct world *world) {
    log_open_whole(world);
    append_to(world, 0, 200);
    append_to(world, 0, 300);
    log_drain(world, 0); /* written, and not synced */
    append_to(world, 0, 100);
    add(world, 1, "audit", AUDIT);
    append_to(world, 1, 200);
    log_drain(world, 0);
    add(world, 2, "", OTHER);
    append_round(world);
    log_drain_all(world);
    append_round(world);
}

void stream_is_removed(struct world *world) {
    open_three(world);
    append_round(world);
    log_close_stream(world, 1); /* drained with it */
    append_to(world, 0, 100);
    append_to(world, 2, 100);
    log_drain(world, 0); /* written, and not synced */
    append_to(world, 2, 100);
    world->files.space_bytes = 40;
    log_close_stream(world, 2); /* this one cannot be closed: half of a record is written */
    world->files.space_bytes = -1;
    world->files.stalled = TRACE;
    append_to(world, 0, 100);
    log_drain(world, 1);
    log_check_drained(world, 0);
    world->files.stalled = NULL;
    log_drain(world, 0);
    add(world, 1, "audit", AUDIT);
    add(world, 2, "trace", TRACE);
    append_to(world, 2, 100);
    append_to(world, 1, 100);
    log_drain_all(world);
}

void stream_is_left_out(struct world *world) {
    open_three(world);
    append_round(world);
    log_drain(world, 0);
    append_round(world);
    world->streams[1].path = NULL;
    log_reopen(world);
    log_drain(world, 0); /* writes records of streams that nobody has open, without a sync */
    log_open_wanted(world);
    append_to(world, 2, 100);
    log_drain(world, 1);
    append_to(world, 0, 100);
    log_reopen(world); /* without any */
    append_to(world, 0, 100);
    log_drain_all(world);
}

/* The same file gets a stream of another name: first while records wait for it, then while none do. */
void stream_is_renamed(struct world *world) {
    open_three(world);
    append_round(world);
    log_drain(world, 0);
    append_to(world, 1, 300);
    world->streams[1].path = NULL;
    log_reopen(world);
    add(world, 1, "revision", AUDIT);
    append_to(world, 1, 100);
    log_drain_all(world);
    log_close_stream(world, 1);
    add(world, 1, "", AUDIT);
    append_to(world, 1, 100);
    add(world, 2, "audit", OTHER); /* the name that the renamed stream had, for another one */
    append_to(world, 2, 100);
}

/* The same stream gets another file: first while records wait for the old one, then while none do. */
void stream_gets_another_file(struct world *world) {
    open_three(world);
    append_round(world);
    log_drain(world, 0);
    append_to(world, 1, 300);
    log_reopen(world);
    add(world, 1, "audit", OTHER);
    append_to(world, 1, 100);
    log_drain_all(world);
    log_close_stream(world, 1);
    add(world, 1, "audit", AUDIT);
    append_to(world, 1, 100);
    log_drain(world, 0);
    log_reopen(world);
    log_open_wanted(world);
    append_to(world, 1, 100);
}

void streams_exchange_their_files(struct world *world) {
    open_three(world);
    for (int i = 0; i < 2; i++) {
        append_round(world);
        log_drain(world, 0);
        append_round(world);
        log_reopen(world);
        add(world, 1, "audit", i == 0 ? TRACE : AUDIT);
        add(world, 2, "trace", i == 0 ? AUDIT : TRACE);
    }
    append_round(world);
    log_drain_all(world);
}

void file_of_a_stream_is_rotated(struct world *world) {
    open_three(world);
    append_round(world);
    log_drain_all(world);
    others_rename(world, AUDIT, AUDIT ".1");
    append_round(world);
    log_drain(world, 0);
    others_rename(world, TRACE, TRACE ".1");
    append_round(world);
    world->streams[2].path = NULL;
    log_reopen(world);
    log_open_wanted(world);
    append_to(world, 1, 100);
    log_drain_all(world);
}

void sync_of_a_stream_fails(struct world *world) {
    open_three(world);
    append_round(world);
    for (int failing = 0; failing < 3; failing++) {
        append_round(world);
        log_drain(world, 0);
        world->files.fail_sync_in = failing;
        log_drain(world, 1);
        world->files.fail_sync_in = -1;
    }
    log_drain_all(world);
    log_reopen(world);
    log_open_wanted(world);
    append_round(world);
    log_drain_all(world);
}

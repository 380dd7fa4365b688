/* SPDX-License-Identifier: Apache-2.0 */
/* Log files that cannot be opened, read, synced or looked at: what the rows of file_rules.h say that no change of a file meets. */
#include <errno.h>

#include "base/error.h"
#include "harness/simulator/log.h"
#include "harness/simulator/scenarios.h"

#define LOG_FILE "/logs/orders.log"

static void append(struct world *world, int count) {
    for (int i = 0; i < count; i++) {
        if (log_append(world, 200 + 50 * (uint32_t)i) < 0) {
            violation(world, "an append failed: %s", error_text());
        }
    }
}

static void expect_open(struct world *world, int wanted) {
    const int rc = log_open(world);
    if (rc != wanted) {
        violation(world, "an open answers %d, and not %d: %s", rc, wanted, error_text());
    }
    world->engine = NULL;
}

static void expect_drain(struct world *world, int wanted) {
    const int rc = log_drain(world, 1);
    if (rc != wanted) {
        violation(world, "the drain answers %d, and not %d", rc, wanted);
    }
}

/* Some records are checkpointed, one is not. */
static void write_and_close(struct world *world) {
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
    append(world, 1);
    log_drain(world, 0);
    log_close(world);
}

void file_cannot_be_opened(struct world *world) {
    static const int errors[] = {EBUSY, EIO, EACCES};
    write_and_close(world);
    world->files.refused = LOG_FILE;
    for (int i = 0; i < 3; i++) {
        world->files.refusal = -errors[i];
        expect_open(world, -errors[i]);
    }
    world->files.refused = NULL;
    log_open_whole(world);
    append(world, 1);
    log_drain_all(world);
}

/* It was renamed, and cannot be read: an open waits for it, and so does the drain. */
void renamed_file_cannot_be_opened(struct world *world) {
    write_and_close(world);
    others_rename(world, LOG_FILE, LOG_FILE ".1");
    world->files.refused = LOG_FILE ".1";
    world->files.refusal = -EIO;
    expect_open(world, -EIO);
    world->files.refused = NULL;
    log_open_whole(world);
    append(world, 1);
    log_drain_all(world);
    append(world, 1); /* in a new file */
    log_drain_all(world);
    others_rename(world, LOG_FILE, LOG_FILE ".2");
    world->files.is_dead = 1;
    append(world, 1);
    expect_drain(world, -ENOTCONN);
    world->files.is_dead = 0;
    world->files.refused = LOG_FILE ".2";
    expect_drain(world, -EIO);
    world->files.refused = NULL;
    log_drain_all(world);
}

/* A log of another process looks for its own file, and holds ours for longer than an open waits: that is passed over. */
void renamed_file_is_held(struct world *world) {
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
    log_close(world);
    others_rename(world, LOG_FILE, LOG_FILE ".1");
    world->files.refused = LOG_FILE ".1";
    world->files.refusal = -EBUSY;
    log_open_whole(world);
    append(world, 1);
    log_drain_all(world);
}

void file_system_dies(struct world *world) {
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
    append(world, 1);
    log_drain(world, 0);
    world->files.is_dead = 1;
    append(world, 1);
    expect_drain(world, -ENOTCONN);
    expect_drain(world, -ENOTCONN);
    world->files.is_dead = 0;
    log_drain_all(world);
    append(world, 1);
    if (log_roll(world, &plain_roll) < 0) {
        violation(world, "a roll could not be appended: %s", error_text());
    }
    world->files.is_dead = 1;
    expect_drain(world, -ENOTCONN);
    world->files.is_dead = 0;
    log_drain_all(world);
    log_close(world);
    world->files.is_dead = 1;
    expect_open(world, -ENOTCONN);
    world->files.is_dead = 0;
    log_open_whole(world);
    append(world, 1);
    log_drain_all(world);
}

/* Within a redo: nobody can say whether it would change bytes of others. */
void file_cannot_be_read(struct world *world) {
    write_and_close(world);
    log_open_whole(world);
    world->files.fail_reads = -EIO;
    expect_drain(world, -EIO);
    world->files.fail_reads = 0;
    log_drain_all(world);
    append(world, 1);
    log_drain_all(world);
}

/* Cut and grown again before its sync. */
void file_grown_again_before_its_sync(struct world *world) {
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
    append(world, 2);
    log_drain(world, 0);
    log_records_destroyed(world, LOG_FILE, 0);
    world->model.records[3].destroyed = world->model.records[4].destroyed = 0; /* not checkpointed: written again */
    others_truncate_and_extend(world, LOG_FILE, 0);
    log_drain_all(world);
    append(world, 1);
    log_drain_all(world);
}

/* It had no byte, and nobody misses it. Then the disk is full when the next one is begun. */
void empty_file_is_gone_and_the_disk_is_full(struct world *world) {
    log_open_whole(world);
    log_close(world);
    others_delete(world, LOG_FILE);
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
    log_close(world);
    log_records_destroyed(world, LOG_FILE, 0);
    others_delete(world, LOG_FILE);
    world->files.space_bytes = 0;
    log_open_whole(world);
    append(world, 1);
    expect_drain(world, -ENOSPC);
    world->files.space_bytes = -1;
    log_drain_all(world);
}

/* The waiting records do not fit into the diverted file: the log stays diverted, and says so. */
void diverted_file_is_full_at_an_open(struct world *world) {
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
    log_records_destroyed(world, LOG_FILE, 0);
    others_truncate(world, LOG_FILE, 0);
    append(world, 2);
    log_drain_all(world);
    append(world, 2);
    log_close(world);
    world->files.space_bytes = 0;
    log_open_whole(world);
    world->files.space_bytes = -1;
    log_drain_all(world);
    log_reopen(world);
    append(world, 1);
    log_drain_all(world);
}

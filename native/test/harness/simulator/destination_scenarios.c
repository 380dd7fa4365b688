/* SPDX-License-Identifier: Apache-2.0 */
/* The log file's misfortunes: disks fail or fill up, and others rename, delete, cut and extend it. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "burstlog.h"
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

void file_sync_fails(struct world *world) {
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
    append(world, 3);
    world->files.fail_sync_in = 0;
    log_drain(world, 1);
    log_drain_all(world);
    append(world, 2);
    world->files.fail_sync_in = 0;
    log_drain(world, 0);
    log_drain(world, 1);
    log_reopen(world);
    append(world, 1);
    log_drain_all(world);
}

/* The drain cannot cut the records away, because others wrote behind them: they are in both files. */
void file_extended_and_sync_fails(struct world *world) {
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
    append(world, 2);
    log_drain(world, 0);
    others_write(world, LOG_FILE, "# somebody else's\n");
    world->files.fail_sync_in = 0;
    log_drain(world, 1);
    log_drain_all(world);
    append(world, 1);
    log_drain_all(world);
}

void disk_full_then_space(struct world *world) {
    log_open_whole(world);
    append(world, 2);
    world->files.space_bytes = 300;
    log_drain(world, 1);
    log_drain(world, 1);
    append(world, 2);
    world->files.space_bytes = 10;
    log_drain(world, 0);
    world->files.space_bytes = -1;
    world->files.write_at_most = 100;
    log_drain_all(world);
    append(world, 2);
    world->files.space_bytes = 200;
    log_drain(world, 1);
    log_reopen(world);
    log_drain(world, 1);
    world->files.space_bytes = -1;
    log_drain_all(world);
}

void file_renamed(struct world *world) {
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
    others_rename(world, LOG_FILE, LOG_FILE ".1");
    append(world, 2);
    log_drain_all(world);
    append(world, 2);
    log_drain(world, 0);
    others_rename(world, LOG_FILE, LOG_FILE ".2");
    log_reopen(world);
    append(world, 1);
    log_drain_all(world);
    append(world, 1);
    others_rename(world, LOG_FILE, LOG_FILE ".3");
    others_write(world, LOG_FILE, "# somebody else's\n");
    log_drain_all(world);
}

/* The drain wrote to the file, but no checkpoint names that yet. */
void file_renamed_before_its_first_checkpoint(struct world *world) {
    log_open_whole(world);
    append(world, 2);
    log_drain(world, 0);
    log_close(world);
    others_rename(world, LOG_FILE, LOG_FILE ".1");
    log_open_whole(world);
    append(world, 1);
    log_drain_all(world);
    append(world, 2);
    others_rename(world, LOG_FILE, LOG_FILE ".2");
    append(world, 2);
    log_drain(world, 0);
    log_close(world);
    others_rename(world, LOG_FILE, LOG_FILE ".3");
    others_write(world, LOG_FILE, "");
    log_open_whole(world);
    append(world, 1);
    log_drain_all(world);
}

void file_deleted(struct world *world) {
    log_open_whole(world);
    append(world, 3);
    log_drain_all(world);
    append(world, 1);
    log_drain(world, 0);
    log_records_destroyed(world, LOG_FILE, 0);
    others_delete(world, LOG_FILE);
    append(world, 2);
    log_drain_all(world);
    append(world, 1);
    log_drain(world, 0);
    log_records_destroyed(world, LOG_FILE, 0);
    others_delete(world, LOG_FILE);
    log_reopen(world);
    append(world, 1);
    log_drain_all(world);
}

/* The drain wrote to the file; others delete it before the sync. The synced bytes are then in a file without a name. */
void file_deleted_before_its_sync(struct world *world) {
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
    append(world, 2);
    log_drain(world, 0);
    log_records_destroyed(world, LOG_FILE, 0);
    for (uint64_t sequence = 3; sequence <= 4; sequence++) {
        world->model.records[sequence].destroyed = 0; /* not yet checkpointed: the drain writes it again */
    }
    others_delete(world, LOG_FILE);
    log_drain_all(world);
    append(world, 1);
    log_drain_all(world);
}

/* After a write that failed the drain continues a batch only in a file that nobody has changed meanwhile. */
void file_changed_while_the_disk_is_full(struct world *world) {
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
    for (int change = 0; change < 3; change++) {
        append(world, 2);
        world->files.space_bytes = change == 1 ? 120 : 0;
        log_drain(world, 0);
        char path[BURST_PATH_BYTES];
        drain_copy_path(world->engine->drainer.drain, 0, path, sizeof path);
        if (change < 2) {
            others_write(world, path, "# somebody else's\n");
        } else {
            log_records_destroyed(world, path, 0);
            world->model.records[world->model.offered].destroyed = 0;
            world->model.records[world->model.offered - 1].destroyed = 0;
            others_delete(world, path);
        }
        world->files.space_bytes = -1;
        log_drain_all(world);
    }
}

void file_truncated(struct world *world) {
    log_open_whole(world);
    append(world, 3);
    log_drain_all(world);
    log_records_destroyed(world, LOG_FILE, 0);
    others_truncate(world, LOG_FILE, 0);
    append(world, 2);
    log_drain_all(world);
    log_records_destroyed(world, LOG_FILE ".burst-4", 300);
    others_truncate(world, LOG_FILE ".burst-4", 300);
    log_reopen(world);
    append(world, 2);
    log_drain_all(world);
}

void file_extended(struct world *world) {
    others_write(world, LOG_FILE, "# from before\n");
    log_open_whole(world);
    append(world, 3);
    log_drain_all(world);
    others_write(world, LOG_FILE, "# somebody else's\n");
    append(world, 2);
    log_drain_all(world);
    append(world, 2);
    others_write(world, LOG_FILE ".burst-4", "# somebody else's\n");
    log_reopen(world);
    append(world, 2);
    log_drain_all(world);
}

void file_name_changed(struct world *world) {
    log_open_whole(world);
    append(world, 3);
    log_drain(world, 0);
    append(world, 2);
    log_close(world);
    world->file_name = "/logs/other.log";
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
    log_close(world);
    world->file_name = LOG_FILE;
    log_open_whole(world);
    append(world, 1);
    log_drain_all(world);
}

static void expect_stall(struct world *world) {
    const int rc = log_drain(world, 1);
    if (rc != -ENOMEDIUM) {
        violation(world, "the drain answers %d while the file system of the log file is not mounted", rc);
    }
}

void file_system_unmounted(struct world *world) {
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
    append(world, 1);
    log_drain(world, 0);
    others_unmount(world);
    append(world, 1);
    expect_stall(world);
    expect_stall(world);
    others_mount(world);
    append(world, 1);
    log_drain_all(world);
    append(world, 1);
    world->files.space_bytes = 50;
    log_drain(world, 0);
    others_unmount(world);
    expect_stall(world);
    log_close(world);
    if (log_open(world) != -ENOMEDIUM) {
        violation(world, "an open begins a new log file below the mount point");
    }
    world->engine = NULL;
    others_mount(world);
    world->files.space_bytes = -1;
    log_open_whole(world);
    append(world, 1);
    log_drain_all(world);
}

static void close_and_rot_newest_checkpoint(struct world *world) {
    const unsigned newest = ledger_newest(world->engine->view.ledger);
    log_close(world);
    uint8_t *slot = world_checkpoint(world, newest);
    slot[world_random(world, checkpoint_claims(slot))] ^= 0x10;
    world->model.drained = 0;
}

void newest_checkpoint_rots(struct world *world) {
    log_open_whole(world);
    for (int round = 0; round < 6; round++) {
        append(world, 3);
        log_drain(world, 1);
        if (round % 2 == 1) {
            log_drain(world, 0);
        }
        append(world, 1);
        close_and_rot_newest_checkpoint(world);
        log_open_whole(world);
    }
    log_drain_all(world);
}

/* The log is opened between the two checkpoints of a drain. Its appends must not take space that only one of the two releases. */
void newest_checkpoint_rots_after_a_reopen(struct world *world) {
    log_open_whole(world);
    append(world, 4);
    log_drain(world, 0);
    while (log_append(world, 3000) > 0) {
    }
    close_and_rot_newest_checkpoint(world);
    log_open_whole(world);
    log_drain_all(world);
    append(world, 4);
    log_drain(world, 0);
    log_reopen(world);
    while (log_append(world, 3000) > 0) {
    }
    close_and_rot_newest_checkpoint(world);
    log_open_whole(world);
    log_drain_all(world);
}

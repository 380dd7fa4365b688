/* SPDX-License-Identifier: Apache-2.0 */
/* Binding a stream to its log file: one that it had, or another. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "burstlog.h"
#include "device/lock.h"
#include "outlet/file/log_file.h"

/* Errors that pass by themselves: the ring is opened all the same and the drain keeps trying. */
static int is_passing(int rc) {
    return rc == -ENOSPC || rc == -EDQUOT || rc == -EROFS || rc == -EIO || rc == -ESTALE || rc == -ETIMEDOUT;
}

/* For an instant others hold it without writing to it: a child before its exec, a log that looks for its own file. */
#define LOCK_TRIES 50
#define LOCK_POLL_NS 20000000ll /* all of them: a second */

/* Whether to try again what has ended with rc. */
static int await_lock(const struct log_file *log, int rc, int *tries_left) {
    if (rc != -EBUSY || *tries_left == 0) {
        return 0;
    }
    --*tries_left;
    log->platform->ops->sleep_ns(log->platform, LOCK_POLL_NS);
    return 1;
}

static int refuse(const char *path, int rc) {
    if (rc == -EBUSY) {
        char holders[256];
        lock_holders(path, holders, sizeof holders);
        return error_set(EBUSY, "log file %s is held by another writer: %s; give every log a file of its own", path,
                         *holders == '\0' ? "a process that cannot be seen" : holders);
    }
    if (rc == DESTINATION_IS_RING) {
        return error_set(EEXIST, "log file %s is a ring: give fileName the name of another file", path);
    }
    return error_set(-rc, "log file %s cannot be opened: %s; mend that, or choose another fileName", path,
                     error_name(-rc));
}

/* An existing file is continued. */
static int open_or_create(struct destination *destination, const char *path) {
    int rc = destination_open_to_continue(destination, path);
    if (rc == -ENOENT) {
        return destination_create(destination, path);
    }
    /* What is in it counts as durable from now on. */
    rc = rc < 0 ? rc : destination_sync(destination);
    return rc < 0 ? rc : destination->files->ops->sync_name(destination->files, path);
}

/* All its records are in the file before. */
static void tell_bound_anew(struct log_file *log, const char *path, uint64_t sequence) {
    events_post(log->events, EVENT_INFO,
                "the ring was bound to log file %s; all its records are there. From record %llu on they go to %s",
                log->destination.path, (unsigned long long)sequence, path);
}

int log_file_bind(struct outlet *outlet, const char *path, const struct outlet_noted *noted,
                  struct outlet_state *state) {
    struct log_file *log = log_file_of(outlet);
    int rc = strlen(path) < sizeof log->state.path ? 0 : -ENAMETOOLONG;
    int tries_left = LOCK_TRIES;
    if (rc == 0 && log_file_is_open(log)) {
        tell_bound_anew(log, path, noted->sequence);
    }
    log_file_leave(log, NEXT_FILE_NOTED);
    while (rc == 0) {
        rc = open_or_create(&log->destination, path);
        if (!await_lock(log, rc, &tries_left)) {
            break;
        }
        rc = 0;
    }
    log->state = (struct outlet_state){.kind = OUTLET_FILE, .roll = {.first_sequence = noted->sequence}};
    snprintf(log->state.path, sizeof log->state.path, "%s", path);
    rc = rc < 0 ? rc : log_file_note_identity(log);
    if (rc < 0) {
        destination_close(&log->destination);
        return refuse(path, rc);
    }
    log_file_hand_up(log, state);
    return OUTLET_NOTE;
}

static int find_unlocked(struct log_file *log, const struct outlet_noted *noted, int *tries_left) {
    int rc;
    log->destination.waits_for_lock = 1;
    do {
        rc = log_file_find(log, noted);
    } while (await_lock(log, rc, tries_left));
    log->destination.waits_for_lock = 0;
    /* A renamed file that others keep is passed over, and told. */
    return rc == -EBUSY && log->destination.unreadable_candidate[0] != '\0' ? log_file_find(log, noted) : rc;
}

/* Why the file of the checkpoint cannot be found now. */
static int refuse_unfound(const struct log_file *log, const struct outlet_noted *noted, int rc) {
    const struct destination *destination = &log->destination;
    if (rc == -DESTINATION_UNMOUNTED_ERROR) {
        return error_set(
            -rc,
            "log file %s is not there, and nothing is mounted at %.*s, where its file system was: mount it "
            "and open the ring again, or, if the log is to go on here, make an empty file of that name",
            destination->path, (int)noted->state->mount.entry_bytes, destination->path);
    }
    if (destination->unreadable_candidate[0] != '\0') {
        return error_set(-rc,
                         "log file %s is not under its name, and %s, which may be it, cannot be read: %s; make it "
                         "readable, or move it away if it is not, and open the ring again",
                         destination->path, destination->unreadable_candidate, error_name(-rc));
    }
    if (!is_passing(rc)) {
        return refuse(destination->path, rc);
    }
    return error_set(-rc,
                     "log file %s cannot be opened to be read and written: %s; mend its file system and open the "
                     "ring again",
                     destination->path, error_name(-rc));
}

int log_file_open(struct outlet *outlet, const struct outlet_noted *noted, struct outlet_state *state) {
    struct log_file *log = log_file_of(outlet);
    int tries_left = LOCK_TRIES;
    if (noted->state->roll.phase == ROLL_ROLLING) {
        return log_file_await_roll(log, noted->state);
    }
    int rc = find_unlocked(log, noted, &tries_left);
    if (rc < 0) {
        return refuse_unfound(log, noted, rc);
    }
    if (log_file_is_open(log)) {
        log->is_astray = log->state.diverted_sequence != 0;
        log_file_hand_up(log, state);
        return OUTLET_NOTE;
    }
    do {
        rc = log_file_begin(log, noted, state);
    } while (await_lock(log, rc, &tries_left));
    return rc >= 0 ? rc : is_passing(rc) ? OUTLET_READY : refuse(log->destination.path, rc);
}

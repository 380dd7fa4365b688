/* SPDX-License-Identifier: Apache-2.0 */
/* Leaving a log file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "burstlog.h"
#include "drain/drain.h"
#include "media/checkpoint_v1.h"

static int is_damaged(enum destination_state state) {
    return state == DESTINATION_DELETED || state == DESTINATION_TRUNCATED || state == DESTINATION_CHANGED;
}

/* Deleted, cut or edited by others: what it had since the checkpoint is written again. Always 0. */
static int leave_lost_file(struct drain *drain, enum destination_state state) {
    const char *path = drain->destination.path;
    const unsigned long long from = drain->synced.sequence;
    if (state == DESTINATION_DELETED) {
        events_post(drain->events, BURST_ERROR,
                    "log file %s was deleted by others; records from %llu on are written to a new file, and those "
                    "before them are gone with the old one: restore it, and find out who deletes it",
                    path, from);
        drain_leave_file(drain, NEXT_FILE_SAME_NAME, &drain->synced);
    } else {
        events_post(
            drain->events, BURST_ERROR,
            "log file %s was cut by others to less than the %llu bytes written%s; records from %llu on go to a new "
            "file; if logrotate did it, let it use create, not copytruncate",
            path, (unsigned long long)destination_end(&drain->destination),
            state == DESTINATION_CHANGED ? " and has grown again, or was edited" : "", from);
        drain_leave_file(drain, NEXT_FILE_DIVERTED, &drain->synced);
    }
    return 0;
}

/* The records after the last checkpoint are not known to be durable in the file: they are taken out of it. */
static void cut_back(struct drain *drain) {
    const struct destination *destination = &drain->destination;
    int rc = -EPERM; /* bytes of others are not ours to cut */
    const enum destination_state state = destination_look(destination);
    if (state != DESTINATION_EXTENDED && state != DESTINATION_CHANGED) {
        rc = destination_cut(&drain->destination, drain->checkpoint->stream.file_bytes);
    }
    if (rc < 0) {
        events_post(
            drain->events, BURST_ERROR,
            "log file %s could not be cut: %s; records from %llu on may be twice, at its end and in the new file: "
            "compare these",
            destination->path, rc == -EPERM ? "others wrote into it, or forbid it" : error_name(-rc),
            (unsigned long long)drain->synced.sequence);
    }
}

static int is_out_of_reach(enum destination_state state) {
    return state == DESTINATION_CUT_OFF || state == DESTINATION_UNMOUNTED;
}

int drain_sync(struct drain *drain) {
    const int rc = destination_sync(&drain->destination);
    if (rc == 0) {
        const enum destination_state state = destination_look(&drain->destination);
        /* What was synced may be in no file any more that anybody can find. */
        return is_damaged(state) ? leave_lost_file(drain, state) : checkpoint_write(drain);
    }
    if (is_out_of_reach(destination_look(&drain->destination))) {
        drain_leave_file(drain, NEXT_FILE_SAME, &drain->synced); /* nothing can be cut: a redo writes the same bytes */
        return rc;
    }
    events_post(drain->events, BURST_ERROR,
                "syncing log file %s failed: %s; it is cut to the %llu bytes known to be durable, and the records "
                "from %llu on go to a new file; look at the host's messages about its disk",
                drain->destination.path, error_name(-rc), (unsigned long long)drain->checkpoint->stream.file_bytes,
                (unsigned long long)drain->synced.sequence);
    cut_back(drain);
    drain_leave_file(drain, NEXT_FILE_DIVERTED, &drain->synced);
    return rc;
}

void drain_publish_path(struct drain *drain) {
    pthread_mutex_lock(&drain->path_lock);
    memcpy(drain->current_path, drain->destination.path, sizeof drain->current_path);
    pthread_mutex_unlock(&drain->path_lock);
}

void drain_copy_path(struct drain *drain, char *path, size_t path_bytes) {
    pthread_mutex_lock(&drain->path_lock);
    snprintf(path, path_bytes, "%s", drain->current_path);
    pthread_mutex_unlock(&drain->path_lock);
}

void drain_leave_file(struct drain *drain, enum drain_next_file next, const struct cursor *from) {
    destination_close(&drain->destination);
    drain->next_file = next;
    drain->next_from = *from;
    drain->batch.used = drain->batch.written = 0;
}

/* `twice`: the first record of which the file has, behind what is checkpointed, what the new one gets as well; or 0. */
static void tell_extended(struct drain *drain, uint64_t twice) {
    char both[80] = "";
    if (twice != 0) {
        snprintf(both, sizeof both, ", and records from %llu on may be in both", (unsigned long long)twice);
    }
    events_post(
        drain->events, BURST_ERROR,
        "others wrote behind the %llu bytes of log file %s; it is left alone, and a new file is begun%s; find out who "
        "writes it",
        (unsigned long long)drain->destination.length, drain->destination.path, both);
}

/* A batch that stalled was begun in this file. */
static int check_stalled(struct drain *drain, enum destination_state state) {
    if (state == DESTINATION_OURS || state == DESTINATION_RENAMED) {
        return 1; /* renamed: after this batch */
    }
    if (state == DESTINATION_EXTENDED && drain->batch.written > 0) {
        tell_extended(drain, drain->synced.sequence);
        drain_leave_file(drain, NEXT_FILE_DIVERTED, &drain->synced);
        return 0;
    }
    if (state == DESTINATION_EXTENDED) { /* nothing of the batch is in it: as if it had not been begun */
        drain->cursor = drain->batch_from;
        drain->batch.used = 0;
        return 0;
    }
    return leave_lost_file(drain, state);
}

/* A redo first adds what the file lacks, also to one that was renamed, and compares before it writes. */
static enum destination_state look(const struct destination *destination) {
    const enum destination_state state = destination_look(destination);
    const int is_redo = destination->length < destination->redo_until;
    return is_redo && (state == DESTINATION_RENAMED || state == DESTINATION_EXTENDED) ? DESTINATION_OURS : state;
}

int drain_check_file(struct drain *drain) {
    const enum destination_state state = look(&drain->destination);
    if (is_out_of_reach(state)) {
        /* An unmounted file system lives as long as a file of it is open, and keeps what it was given. */
        const int rc = state == DESTINATION_UNMOUNTED && drain->batch.used == 0 ? drain_sync(drain) : 0;
        if (rc == 0) {
            drain_leave_file(drain, NEXT_FILE_SAME, &drain->synced);
        }
        return rc;
    }
    if (drain->batch.used > 0) {
        return check_stalled(drain, state);
    }
    switch (state) {
    case DESTINATION_OURS:
        return 1;
    case DESTINATION_DELETED:
    case DESTINATION_TRUNCATED:
    case DESTINATION_CHANGED:
        return leave_lost_file(drain, state);
    case DESTINATION_RENAMED:
        break; /* below */
    case DESTINATION_EXTENDED:
        tell_extended(drain, 0);
        break;
    case DESTINATION_CUT_OFF:
    case DESTINATION_UNMOUNTED:
        break; /* above */
    }
    /* What was written stays where it is, once it is durable. */
    int rc = drain_sync(drain);
    if (rc == 0 && state == DESTINATION_RENAMED && drain->destination.file != DESTINATION_CLOSED) {
        rc = drain_take_name(drain);
    }
    if (rc == 0 && drain->destination.file != DESTINATION_CLOSED) {
        if (state == DESTINATION_RENAMED) {
            events_post(drain->events, BURST_INFO, "log file %s was renamed or replaced; a new one is begun",
                        drain->destination.path);
        }
        drain_leave_file(drain, state == DESTINATION_RENAMED ? NEXT_FILE_SAME_NAME : NEXT_FILE_DIVERTED,
                         &drain->cursor);
    }
    return rc;
}

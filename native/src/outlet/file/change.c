/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at a log file before it gets a byte, and leaving it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "burstlog.h"
#include "outlet/file/log_file.h"

static int is_damaged(enum destination_state state) {
    return state == DESTINATION_DELETED || state == DESTINATION_TRUNCATED || state == DESTINATION_CHANGED;
}

/* Deleted, cut or edited by others: what it had since the checkpoint is written again. OUTLET_REWIND. */
static int leave_lost_file(struct log_file *log, const struct outlet_noted *noted, enum destination_state state) {
    const char *path = log->destination.path;
    const unsigned long long from = noted->sequence;
    if (state == DESTINATION_DELETED) {
        events_post(log->events, EVENT_ERROR,
                    "log file %s was deleted by others; records from %llu on are written to a new file, and those "
                    "before them are gone with the old one: restore it, and find out who deletes it",
                    path, from);
        log_file_leave(log, NEXT_FILE_SAME_NAME);
    } else {
        events_post(
            log->events, EVENT_ERROR,
            "log file %s was cut by others to less than the %llu bytes written%s; records from %llu on go to a new "
            "file; if logrotate did it, let it use create, not copytruncate",
            path, (unsigned long long)destination_end(&log->destination),
            state == DESTINATION_CHANGED ? " and has grown again, or was edited" : "", from);
        log_file_leave(log, NEXT_FILE_DIVERTED);
    }
    return OUTLET_REWIND;
}

/* The records after the last checkpoint are not known to be durable in the file: they are taken out of it. */
static void cut_back(struct log_file *log, const struct outlet_noted *noted) {
    const struct destination *destination = &log->destination;
    int rc = -EPERM; /* bytes of others are not ours to cut */
    const enum destination_state state = destination_look(destination);
    if (state != DESTINATION_EXTENDED && state != DESTINATION_CHANGED) {
        rc = destination_cut(&log->destination, noted->state->length);
    }
    if (rc < 0) {
        events_post(
            log->events, EVENT_ERROR,
            "log file %s could not be cut: %s; records from %llu on may be twice, at its end and in the new file: "
            "compare these",
            destination->path, rc == -EPERM ? "others wrote into it, or forbid it" : error_name(-rc),
            (unsigned long long)noted->sequence);
    }
}

static int is_out_of_reach(enum destination_state state) {
    return state == DESTINATION_CUT_OFF || state == DESTINATION_UNMOUNTED;
}

int log_file_sync(struct outlet *outlet, const struct outlet_noted *noted, struct outlet_state *state) {
    struct log_file *log = log_file_of(outlet);
    const int rc = destination_sync(&log->destination);
    if (rc == 0) {
        const enum destination_state look = destination_look(&log->destination);
        /* What was synced may be in no file any more that anybody can find. */
        if (is_damaged(look)) {
            return leave_lost_file(log, noted, look);
        }
        log->state.roll.phase = ROLL_NONE; /* what a roll wrote is among what was synced */
        return log_file_hand_up(log, state);
    }
    if (is_out_of_reach(destination_look(&log->destination))) {
        log_file_leave(log, NEXT_FILE_SAME); /* nothing can be cut: a redo writes the same bytes */
        return rc;
    }
    events_post(log->events, EVENT_ERROR,
                "syncing log file %s failed: %s; it is cut to the %llu bytes known to be durable, and the records "
                "from %llu on go to a new file; look at the host's messages about its disk",
                log->destination.path, error_name(-rc), (unsigned long long)noted->state->length,
                (unsigned long long)noted->sequence);
    cut_back(log, noted);
    log_file_leave(log, NEXT_FILE_DIVERTED);
    return rc;
}

/* `twice`: the first record of which the file has, behind what is checkpointed, what the new one gets as well; or 0. */
static void tell_extended(struct log_file *log, uint64_t twice) {
    char both[80] = "";
    if (twice != 0) {
        snprintf(both, sizeof both, ", and records from %llu on may be in both", (unsigned long long)twice);
    }
    events_post(
        log->events, EVENT_ERROR,
        "others wrote behind the %llu bytes of log file %s; it is left alone, and a new file is begun%s; find out who "
        "writes it",
        (unsigned long long)log->destination.length, log->destination.path, both);
}

/* Part of a batch is in it. */
static int check_partly(struct log_file *log, const struct outlet_noted *noted, enum destination_state state) {
    if (state == DESTINATION_OURS || state == DESTINATION_RENAMED) {
        return OUTLET_READY; /* renamed: after this batch */
    }
    if (state == DESTINATION_EXTENDED) {
        tell_extended(log, noted->sequence);
        log_file_leave(log, NEXT_FILE_DIVERTED);
        return OUTLET_REWIND;
    }
    return leave_lost_file(log, noted, state);
}

/* A redo first adds what the file lacks, also to one that was renamed, and compares before it writes. */
static enum destination_state look_at(const struct destination *destination) {
    const enum destination_state state = destination_look(destination);
    const int is_redo = destination->length < destination->redo_until;
    return is_redo && (state == DESTINATION_RENAMED || state == DESTINATION_EXTENDED) ? DESTINATION_OURS : state;
}

/* Others renamed or extended it: what was written stays where it is, once it is durable and noted. */
static int go_on_elsewhere(struct log_file *log, const struct outlet_noted *noted, enum destination_state look,
                           struct outlet_state *state) {
    if (look == DESTINATION_RENAMED) {
        const int rc = log_file_take_name(log, state);
        if (rc != OUTLET_READY) {
            return rc;
        }
        events_post(log->events, EVENT_INFO, "log file %s was renamed or replaced; a new one is begun",
                    log->destination.path);
    } else {
        tell_extended(log, 0);
    }
    log_file_leave(log, look == DESTINATION_RENAMED ? NEXT_FILE_SAME_NAME : NEXT_FILE_DIVERTED);
    return log_file_begin(log, noted, state);
}

/* Deals with what others did to the file. */
static int check(struct log_file *log, const struct outlet_noted *noted, int partly, struct outlet_state *state) {
    const enum destination_state look = look_at(&log->destination);
    const int is_noted = log->destination.length == noted->state->length;
    if (look == DESTINATION_OURS) {
        return OUTLET_READY;
    }
    if (is_out_of_reach(look)) {
        /* An unmounted file system lives as long as a file of it is open, and keeps what it was given. */
        if (look == DESTINATION_UNMOUNTED && !partly && !is_noted) {
            return OUTLET_SYNC;
        }
        log_file_leave(log, NEXT_FILE_SAME);
        return OUTLET_REWIND;
    }
    if (partly) {
        return check_partly(log, noted, look);
    }
    if (is_damaged(look)) {
        return leave_lost_file(log, noted, look);
    }
    return is_noted ? go_on_elsewhere(log, noted, look, state) : OUTLET_SYNC;
}

/* These bytes were in the file when it was opened, or others wrote there. */
static int compare_redo(struct log_file *log, const void *data, size_t bytes) {
    const int same = destination_matches(&log->destination, data, bytes, log->destination.length);
    if (same != MATCH_NONE) {
        return same < 0 ? same : OUTLET_READY;
    }
    events_post(
        log->events, EVENT_ERROR,
        "log file %s holds other bytes behind its first %llu than the log wrote there: others wrote into it; it "
        "is left alone, and a new file is begun; find out who writes it",
        log->destination.path, (unsigned long long)log->destination.length);
    log_file_leave(log, NEXT_FILE_DIVERTED);
    return OUTLET_REWIND;
}

int log_file_ready(struct outlet *outlet, const struct outlet_noted *noted, const void *data, size_t bytes, int partly,
                   struct outlet_state *state) {
    struct log_file *log = log_file_of(outlet);
    if (!log_file_is_open(log)) {
        return log_file_begin(log, noted, state);
    }
    int rc = check(log, noted, partly, state);
    if (rc == OUTLET_READY && bytes > 0 && log->destination.length < log->destination.redo_until) {
        rc = compare_redo(log, data, bytes);
        rc = rc == OUTLET_READY ? check(log, noted, partly, state) : rc; /* also after all the reading */
    }
    return rc;
}

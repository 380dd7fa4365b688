/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the log file of the newest checkpoint again. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "outlet/file/log_file.h"

/* How the file compares, behind the checkpoint, with what a redo would write there: a destination_match, or -errno. */
static int compare_with_redo(const struct log_file *log, const struct outlet_noted *noted) {
    const struct destination *destination = &log->destination;
    enum roll_phase phase = noted->state->roll.phase;
    uint64_t offset = destination->length;
    int match = MATCH_BLANK, more = 1, ends = 0;
    noted->begin(noted);
    while (offset < destination->redo_until && more && !ends) {
        struct outlet_roll_record record;
        const uint8_t *data = NULL;
        size_t bytes = 0;
        more = noted->next(noted, &data, &bytes, &record);
        if (more == 2) {
            bytes = roll_bytes(phase, &record.roll, &data);
            ends = phase == ROLL_NONE || phase == ROLL_ROLLING; /* the file does */
        }
        phase = ROLL_NONE; /* of the first record alone */
        const int piece = more <= 0 ? more : destination_matches(destination, data, bytes, offset);
        if (piece < 0 || (more > 0 && piece == MATCH_NONE)) {
            return piece;
        }
        offset += bytes;
        match = more > 0 && piece == MATCH_EQUAL ? MATCH_EQUAL : match;
    }
    return offset >= destination->redo_until ? match : MATCH_NONE;
}

static int is_elsewhere(int rc) {
    return rc == -ENOENT || rc == -ENOTDIR || rc == DESTINATION_NOT_OURS;
}

/* Nothing of it is missed: not a byte of it is noted, none can have been written to it since, and nobody else has its
 * name. */
static int is_missed(const struct log_file *log, const struct outlet_noted *noted, const char *path) {
    const struct files *files = log->destination.files;
    struct file_identity identity;
    return noted->state->length > 0 || noted->last_sequence >= noted->sequence ||
           (files->ops->identity_of_path(files, path, &identity) == 0 && identity.bytes > 0);
}

/* `rc` is what the file under the name is. */
static void tell_not_found(struct log_file *log, const struct outlet_noted *noted, const char *path, int rc) {
    struct destination *destination = &log->destination;
    const unsigned long long first = noted->sequence, last = noted->last_sequence;
    char twice[220] = "; look where it is now, if nobody moved it on purpose", seen[LAYOUT_FILE_NAME_BYTES + 100] = "";
    if (!is_missed(log, noted, path)) {
        return;
    }
    if (last >= first) {
        snprintf(twice, sizeof twice,
                 "; records %llu to %llu may be twice, at the end of the old file, wherever it is now, "
                 "and in the new one: compare these (and let logrotate use delaycompress, and no olddir)",
                 first, last);
    }
    if (destination->unreadable_candidate[0] != '\0') {
        snprintf(seen, sizeof seen, "; %s cannot be opened (%s) and may be or hold the old file",
                 destination->unreadable_candidate, error_name(-destination->unreadable_candidate_error));
        destination->unreadable_candidate[0] = '\0';
    }
    events_post(log->events, EVENT_WARN, "log file %s is %s; records from %llu on go to a new file%s%s", path,
                rc == DESTINATION_NOT_OURS ? "not the one that was written" : "gone", first, twice, seen);
}

/* The noted file, or one that may well be it. Sets *match to what the file under the name is: an enum file_match, or
 * -errno. 0 or 1 with it open (1: renamed), or DESTINATION_NOT_OURS with none open, or -errno. */
static int open_noted(struct log_file *log, const struct outlet_noted *noted, const char *path, int *match) {
    struct destination *destination = &log->destination;
    const struct outlet_state *state = noted->state;
    const struct file_mark mark = log_file_mark(log, state);
    *match = destination_compare(destination, path, &mark);
    int rc = *match == FILE_SAME ? destination_open_to_redo(destination, path, state)
             : *match < 0        ? *match
                                 : DESTINATION_NOT_OURS;
    rc = is_elsewhere(rc) ? destination_find_renamed(destination, path, state, &mark) : rc;
    if (rc == 1 && state->length == 0 && mark.handle_bytes == 0 && mark.born_ns == 0) {
        /* Only its number speaks for it, and no noted byte: then a byte of the redo must. */
        const int found = compare_with_redo(log, noted);
        rc = found < 0 ? found : found == MATCH_EQUAL ? 1 : DESTINATION_NOT_OURS;
    }
    if (rc < 0) {
        destination_close(destination);
    }
    /* Another file may be a copy, from a backup, if it reads like the noted one. One without a noted byte has no copy. */
    if (rc == DESTINATION_NOT_OURS && (*match == FILE_UNKNOWN || (*match == FILE_OTHER && state->length > 0))) {
        rc = destination_open_to_redo(destination, path, state);
        rc = is_elsewhere(rc) ? DESTINATION_NOT_OURS : rc;
        destination->unreadable_candidate[0] = rc == DESTINATION_NOT_OURS ? destination->unreadable_candidate[0] : '\0';
    }
    return rc;
}

/* 0 with the file open, or with none open and the next one decided, or -errno. */
static int find(struct log_file *log, const struct outlet_noted *noted, const char *path) {
    int named;
    const int rc = open_noted(log, noted, path, &named);
    if (rc == DESTINATION_NOT_OURS) {
        if (log_file_is_unmounted(log, noted->state, path)) {
            return -DESTINATION_UNMOUNTED_ERROR;
        }
        tell_not_found(log, noted, path, named < 0 ? named : DESTINATION_NOT_OURS);
        log_file_leave(log, NEXT_FILE_SAME_NAME);
        return 0;
    }
    const int match = rc < 0 ? rc : compare_with_redo(log, noted);
    if (rc == 1 && match > MATCH_NONE) {
        events_post(log->events, EVENT_INFO, "log file %s was renamed%s", path,
                    log->destination.redo_until > log->destination.length ? "; what it lacks is added to it first"
                                                                          : "");
    } else if (named == FILE_OTHER && match > MATCH_NONE) {
        events_post(
            log->events, EVENT_INFO,
            "log file %s is another file than the one that was written, but ends like it after %llu bytes: it is "
            "taken for its copy (from a backup) and continued",
            path, (unsigned long long)noted->state->length);
    }
    if (match == MATCH_NONE) {
        events_post(
            log->events, EVENT_WARN,
            "others wrote behind the %llu bytes of log file %s; it is left alone, and a new file is begun; find "
            "out who writes it",
            (unsigned long long)noted->state->length, path);
        log_file_leave(log, rc == 1 ? NEXT_FILE_SAME_NAME : NEXT_FILE_DIVERTED);
    }
    return match < 0 ? match : 0;
}

int log_file_find(struct log_file *log, const struct outlet_noted *noted) {
    struct destination *destination = &log->destination;
    char path[LAYOUT_FILE_NAME_BYTES];
    destination->unreadable_candidate[0] = '\0';
    log->state = *noted->state;
    int rc = outlet_state_file(noted->state, path, sizeof path);
    rc = rc < 0 ? rc : find(log, noted, path);
    if (rc == 0 && log_file_is_open(log)) {
        rc = log_file_note_identity(log);
    }
    if (rc < 0) {
        destination_close(destination);
    }
    if (!log_file_is_open(log)) {
        snprintf(destination->path, sizeof destination->path, "%s", path);
    }
    return rc;
}

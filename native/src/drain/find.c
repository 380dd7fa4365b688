/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the log file of the newest checkpoint again. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "burstlog.h"
#include "drain/drain.h"
#include "media/checkpoint_v1.h"

/* How the file compares, behind the checkpoint, with what a redo would write there: a destination_match, or -errno. */
static int compare_with_redo(struct drain *drain) {
    const struct destination *destination = &drain->destination;
    struct cursor cursor = drain->synced;
    uint64_t offset = destination->length;
    uint64_t until, next_sequence;
    int match = MATCH_BLANK;
    ring_durable(drain->ring, &until, &next_sequence);
    while (offset < destination->redo_until && cursor.position < until) {
        drain->batch.used = 0;
        const uint64_t from = cursor.position;
        cursor_fill(&cursor, &drain->source, until, &drain->batch);
        if (cursor.position == from) {
            return -EIO; /* a mapped ring has lost the record */
        }
        const int piece = destination_matches(destination, drain->batch.bytes, drain->batch.used, offset);
        offset += drain->batch.used;
        drain->batch.used = 0;
        if (piece <= MATCH_NONE) {
            return piece;
        }
        match = piece == MATCH_EQUAL ? MATCH_EQUAL : match;
    }
    return offset >= destination->redo_until ? match : MATCH_NONE;
}

static int is_elsewhere(int rc) {
    return rc == -ENOENT || rc == -ENOTDIR || rc == DESTINATION_NOT_OURS;
}

/* Nothing of it is missed: not a byte of it is noted, none can have been written to it since, and nobody else has its
 * name. */
static int is_missed(const struct drain *drain, const char *path, uint64_t last_sequence) {
    const struct checkpoint_stream *stream = &drain->checkpoint->stream;
    const struct files *files = drain->destination.files;
    struct file_identity identity;
    return stream->file_bytes > 0 || last_sequence >= stream->next_sequence ||
           (files->ops->identity_of_path(files, path, &identity) == 0 && identity.bytes > 0);
}

/* `rc` is what the file under the name is. */
static void tell_not_found(struct drain *drain, const char *path, int rc) {
    struct destination *destination = &drain->destination;
    const unsigned long long first = drain->checkpoint->stream.next_sequence;
    uint64_t until, next_sequence;
    char twice[220] = "; look where it is now, if nobody moved it on purpose", seen[LAYOUT_FILE_NAME_BYTES + 100] = "";
    ring_durable(drain->ring, &until, &next_sequence);
    if (!is_missed(drain, path, next_sequence - 1)) {
        return;
    }
    if (next_sequence > first) {
        snprintf(twice, sizeof twice,
                 "; records %llu to %llu may be twice, at the end of the old file, wherever it is now, "
                 "and in the new one: compare these (and let logrotate use delaycompress, and no olddir)",
                 first, (unsigned long long)next_sequence - 1);
    }
    if (destination->unreadable_candidate[0] != '\0') {
        snprintf(seen, sizeof seen, "; %s cannot be opened (%s) and may be or hold the old file",
                 destination->unreadable_candidate, error_name(-destination->unreadable_candidate_error));
        destination->unreadable_candidate[0] = '\0';
    }
    events_post(drain->events, BURST_WARN, "log file %s is %s; records from %llu on go to a new file%s%s", path,
                rc == DESTINATION_NOT_OURS ? "not the one that was written" : "gone", first, twice, seen);
}

/* The noted file, or one that may well be it. Sets *match to what the file under the name is: an enum file_match, or
 * -errno. 0 or 1 with it open (1: renamed), or DESTINATION_NOT_OURS with none open, or -errno. */
static int open_noted(struct drain *drain, const char *path, int *match) {
    struct destination *destination = &drain->destination;
    const struct checkpoint_stream *stream = &drain->checkpoint->stream;
    const struct file_mark noted = drain_noted_mark(drain);
    *match = destination_compare(destination, path, &noted);
    int rc = *match == FILE_SAME ? destination_open_to_redo(destination, path, stream)
             : *match < 0        ? *match
                                 : DESTINATION_NOT_OURS;
    rc = is_elsewhere(rc) ? destination_find_renamed(destination, path, stream, &noted) : rc;
    if (rc == 1 && stream->file_bytes == 0 && noted.handle_bytes == 0 && noted.born_ns == 0) {
        /* Only its number speaks for it, and no noted byte: then a byte of the redo must. */
        const int found = compare_with_redo(drain);
        rc = found < 0 ? found : found == MATCH_EQUAL ? 1 : DESTINATION_NOT_OURS;
    }
    if (rc < 0) {
        destination_close(destination);
    }
    /* Another file may be a copy, from a backup, if it reads like the noted one. One without a noted byte has no copy. */
    if (rc == DESTINATION_NOT_OURS && (*match == FILE_UNKNOWN || (*match == FILE_OTHER && stream->file_bytes > 0))) {
        rc = destination_open_to_redo(destination, path, stream);
        rc = is_elsewhere(rc) ? DESTINATION_NOT_OURS : rc;
        destination->unreadable_candidate[0] = rc == DESTINATION_NOT_OURS ? destination->unreadable_candidate[0] : '\0';
    }
    return rc;
}

/* 0 with the file open, or with none open and the next one decided, or -errno. */
static int find(struct drain *drain, const char *path) {
    const struct checkpoint_stream *stream = &drain->checkpoint->stream;
    int named;
    const int rc = open_noted(drain, path, &named);
    if (rc == DESTINATION_NOT_OURS) {
        if (drain_is_unmounted(drain, path)) {
            return -DESTINATION_UNMOUNTED_ERROR;
        }
        tell_not_found(drain, path, named < 0 ? named : DESTINATION_NOT_OURS);
        drain_leave_file(drain, NEXT_FILE_SAME_NAME, &drain->synced);
        return 0;
    }
    const int match = rc < 0 ? rc : compare_with_redo(drain);
    if (rc == 1 && match > MATCH_NONE) {
        events_post(drain->events, BURST_INFO, "log file %s was renamed%s", path,
                    drain->destination.redo_until > drain->destination.length ? "; what it lacks is added to it first"
                                                                              : "");
    } else if (named == FILE_OTHER && match > MATCH_NONE) {
        events_post(
            drain->events, BURST_INFO,
            "log file %s is another file than the one that was written, but ends like it after %llu bytes: it is "
            "taken for its copy (from a backup) and continued",
            path, (unsigned long long)stream->file_bytes);
    }
    if (match == MATCH_NONE) {
        events_post(
            drain->events, BURST_WARN,
            "others wrote behind the %llu bytes of log file %s; it is left alone, and a new file is begun; find "
            "out who writes it",
            (unsigned long long)stream->file_bytes, path);
        drain_leave_file(drain, rc == 1 ? NEXT_FILE_SAME_NAME : NEXT_FILE_DIVERTED, &drain->synced);
    }
    return match < 0 ? match : 0;
}

int drain_find_again(struct drain *drain) {
    struct destination *destination = &drain->destination;
    char path[LAYOUT_FILE_NAME_BYTES];
    destination->unreadable_candidate[0] = '\0';
    int rc = checkpoint_file(drain->checkpoint, path, sizeof path);
    rc = rc < 0 ? rc : find(drain, path);
    if (rc < 0) {
        destination_close(destination);
    }
    if (destination->file == DESTINATION_CLOSED) {
        snprintf(destination->path, sizeof destination->path, "%s", path);
        return rc;
    }
    const struct file_mark noted = drain_noted_mark(drain);
    rc = drain_note_place(drain);
    const struct file_mark found = drain_noted_mark(drain);
    /* Another file, or noted for the first time: it gets no byte before both slots know it. */
    const int slots = file_mark_compare(&noted, &found) == FILE_SAME ? 0 : (int)LAYOUT_CHECKPOINT_SLOTS;
    for (int slot = 0; slot < slots && rc == 0; slot++) {
        rc = checkpoint_write(drain);
    }
    if (rc < 0) {
        destination_close(destination);
    }
    return rc;
}

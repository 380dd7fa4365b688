/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the log file of the newest checkpoint again. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "drain/drain.h"
#include "media/checkpoint.h"

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

/* Fills the batch with the beginning of the redo; the caller empties it. */
static void begin_redo(struct drain *drain) {
    struct cursor cursor = drain->synced;
    uint64_t until, next_sequence;
    ring_durable(drain->ring, &until, &next_sequence);
    drain->batch.used = 0;
    cursor_fill(&cursor, &drain->source, until, &drain->batch);
}

static int redo_has_bytes(struct drain *drain) {
    begin_redo(drain);
    const int has_bytes = drain->batch.used > 0;
    drain->batch.used = 0;
    return has_bytes;
}

/* Whether the redo reads the same, as far as the file reaches, without its first line: such a file may as well be an older
 * one that holds other records of the same text, and a redo over those would lose them. */
static int repeats_itself(struct drain *drain) {
    begin_redo(drain);
    const uint8_t *text = drain->batch.bytes;
    const uint8_t *end = memchr(text, '\n', drain->batch.used);
    const size_t first = end == NULL ? drain->batch.used : (size_t)(end + 1 - text);
    const size_t rest = drain->batch.used - first;
    drain->batch.used = 0;
    return rest > 0 &&
           memcmp(text + first, text, rest < drain->destination.redo_until ? rest : drain->destination.redo_until) == 0;
}

/* The open file of which no byte is noted: whether what is in it is what the drain has written there since. */
static int holds_the_redo(void *argument) {
    struct drain *drain = argument;
    const int match = compare_with_redo(drain);
    return match < 0 ? match : match == MATCH_EQUAL && !repeats_itself(drain);
}

static int is_elsewhere(int rc) {
    return rc == -ENOENT || rc == -ENOTDIR || rc == DESTINATION_NOT_OURS;
}

/* `rc` is what the file under the name is. */
static void tell_not_found(struct drain *drain, const char *path, int rc) {
    struct destination *destination = &drain->destination;
    char seen[LAYOUT_FILE_NAME_BYTES + 100] = "";
    if (destination->obstacle[0] != '\0') {
        snprintf(seen, sizeof seen, "; %s cannot be opened (%s) and may be or hold that file: then some are in both",
                 destination->obstacle, error_name(-destination->obstacle_error));
        destination->obstacle[0] = '\0';
    }
    events_post(drain->events, BURST_WARN, "log file %s is %s; records from %llu on go to a new file%s", path,
                rc == DESTINATION_NOT_OURS ? "not the one that was written" : "gone",
                (unsigned long long)drain->checkpoint->stream.next_sequence, seen);
}

/* 0 with it open, or DESTINATION_NOT_OURS with none open, or -errno. */
static int find_renamed(struct drain *drain, const char *path) {
    const struct checkpoint_stream *stream = &drain->checkpoint->stream;
    if (stream->file_bytes == 0 && !redo_has_bytes(drain)) {
        return DESTINATION_NOT_OURS; /* it has no byte, and an empty file is as good as another */
    }
    const int rc = destination_find_renamed(&drain->destination, path, stream, holds_the_redo, drain);
    if (rc == 1) {
        events_post(drain->events, BURST_INFO, "log file %s was renamed; what it lacks is added to it first", path);
    }
    return rc > 0 ? 0 : rc;
}

/* The file under the name, of which no byte was noted, holds none of the redo: it may have taken the place of the one that
 * does. 0 with one of them open, or -errno. */
static int prefer_renamed(struct drain *drain, const char *path) {
    destination_close(&drain->destination);
    const int rc = find_renamed(drain, path);
    drain->destination.obstacle[0] = rc == DESTINATION_NOT_OURS ? '\0' : drain->destination.obstacle[0];
    return rc != DESTINATION_NOT_OURS ? rc
                                      : destination_open_to_redo(&drain->destination, path, &drain->checkpoint->stream);
}

/* 0 with the file open, or with none open and the next one decided, or -errno. */
static int find(struct drain *drain, const char *path) {
    const struct checkpoint_stream *stream = &drain->checkpoint->stream;
    int rc = destination_open_to_redo(&drain->destination, path, stream);
    if (is_elsewhere(rc)) {
        const int bound = rc;
        rc = find_renamed(drain, path);
        if (rc == DESTINATION_NOT_OURS && drain_is_unmounted(drain, path)) {
            return -DESTINATION_UNMOUNTED_ERROR;
        }
        if (rc == DESTINATION_NOT_OURS) {
            tell_not_found(drain, path, bound);
            drain_leave_file(drain, NEXT_FILE_SAME_NAME, &drain->synced);
            return 0;
        }
    }
    int match = rc < 0 ? rc : compare_with_redo(drain);
    if (stream->file_bytes == 0 && (match == MATCH_NONE || match == MATCH_BLANK)) {
        rc = prefer_renamed(drain, path);
        match = rc < 0 ? rc : compare_with_redo(drain);
    }
    if (match == MATCH_NONE) {
        events_post(drain->events, BURST_WARN,
                    "others wrote behind the %llu bytes of log file %s; it is left alone and a new file is begun",
                    (unsigned long long)stream->file_bytes, path);
        drain_leave_file(drain, NEXT_FILE_DIVERTED, &drain->synced);
    }
    return match < 0 ? match : 0;
}

int drain_find_again(struct drain *drain) {
    struct destination *destination = &drain->destination;
    char path[LAYOUT_FILE_NAME_BYTES];
    destination->obstacle[0] = '\0';
    int rc = checkpoint_file(drain->checkpoint, path, sizeof path);
    rc = rc < 0 ? rc : find(drain, path);
    if (rc < 0) {
        destination_close(destination);
    }
    if (destination->file == DESTINATION_CLOSED) {
        snprintf(destination->path, sizeof destination->path, "%s", path);
    } else {
        drain_note_place(drain);
    }
    return rc;
}

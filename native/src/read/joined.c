/* SPDX-License-Identifier: Apache-2.0 */
#include "read/joined.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "read/choose_stream.h"
#include "read/joined_state.h"
#include "read/lines.h"
#include "read/ring_source.h"
#include "read/segments_source.h"

#define TRY_AGAIN_NS 1000000
#define SEAM_EVERY_NS 100000000

/* ----------------------------------------------------------------------------------------------------- checkpoints */

/* Reads the newest checkpoint again. */
int joined_look(struct joined *self) {
    const int rc = ring_source_look(self->ring);
    if (rc < 0) {
        return rc;
    }
    struct stream_state state;
    int is_there = 0;
    self->follower.outlet.path[0] = '\0';
    for (unsigned i = 0; i < ring_source_streams(self->ring); i++) {
        ring_source_stream(self->ring, i, &state);
        if (state.follows == 0 && state.id == self->id) {
            self->state = state;
            is_there = 1;
        } else if (state.follows == self->id + 1 && state.outlet.kind == OUTLET_SEGMENTS) {
            self->follower = state;
        }
    }
    return is_there ? 0 : error_set(ESRCH, "the ring has no stream %u any more", self->id);
}

int joined_go_to_seam(struct joined *self) {
    const struct stream_state *state = &self->state;
    return ring_source_go(self->ring, state->drained_position, state->next_sequence, state->epoch);
}

/* ----------------------------------------------------------------------------------------------------------- lines */

/* Whether the stream is still in the file of that state: it was not rolled, diverted, or replaced by others. A file that
 * has not begun has the number that it will get. */
static int is_same_file(const struct joined *self, const struct outlet_state *before) {
    const struct outlet_state *now = &self->state.outlet;
    const uint64_t number = now->roll.file_number, number_before = before->roll.file_number;
    return (number == 0 ? 1 : number) == (number_before == 0 ? 1 : number_before) &&
           now->diverted_sequence == before->diverted_sequence && now->diverted_attempt == before->diverted_attempt &&
           (before->mark.inode == 0 || now->mark.inode == before->mark.inode);
}

/* The log files of all streams that the checkpoint has. */
static int know_others(struct joined *self) {
    struct stream_state state;
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < ring_source_streams(self->ring); i++) {
        ring_source_stream(self->ring, i, &state);
        rc = state.outlet.kind == OUTLET_FILE ? lines_know_other(self->past, state.outlet.path) : 0;
    }
    return rc;
}

static int add_archives(struct joined *self, const struct stat *behind_of) {
    char live[BURST_PATH_BYTES];
    const struct outlet_state *outlet = &self->state.outlet;
    const int rc = know_others(self);
    return rc < 0 ? rc
           : outlet_state_file(outlet, live, sizeof live) < 0
               ? error_set(ENAMETOOLONG, "the name of the log file is too long: %.200s", outlet->path)
               : lines_add_archives(self->past, outlet->path, live, self->archives, behind_of, outlet->length > 0);
}

/* Whether the file that is held is the one that the checkpoint names: a roll gives its name to another one first. */
static int is_named(const struct joined *self) {
    struct stat status;
    const uint64_t inode = self->state.outlet.mark.inode;
    return inode == 0 || !lines_status(self->past, &status) || status.st_ino == inode;
}

/* Adds the file that the checkpoint names. Returns 0; -ENOENT if another file, or none, has its name now; or -errno. */
static int add_live_file(struct joined *self) {
    char path[BURST_PATH_BYTES];
    const struct outlet_state *outlet = &self->state.outlet;
    self->has_live = 0;
    if (outlet->length == 0) {
        return 0;
    }
    int rc = outlet_state_file(outlet, path, sizeof path) < 0
                 ? error_set(ENAMETOOLONG, "the name of the log file is too long: %.200s", outlet->path)
                 : lines_add(self->past, path, 0, outlet->length);
    rc = rc < 0 ? rc : lines_hold(self->past);
    if (rc == 0 && !is_named(self)) {
        rc = -ENOENT;
    }
    if (rc == -ENOENT) {
        lines_drop(self->past);
        error_set(ENOENT, "log file %.200s is not there: it was moved or deleted", path);
    }
    self->has_live = rc == 0;
    return rc;
}

/* Lists archives and live file, all of one checkpoint: if a roll came in between, lists them again. A file that the
 * checkpoint names, and that had lost its name before the archives were listed, is one of them. */
int joined_list_files(struct joined *self) {
    int was_gone = 0, rc = joined_look(self);
    for (int tries = 0; rc == 0; tries++) {
        const struct outlet_state before = self->state.outlet;
        const uint64_t length = before.length;
        lines_clear(self->past);
        rc = add_archives(self, NULL);
        rc = rc < 0 ? rc : add_live_file(self);
        const int is_gone = rc == -ENOENT;
        if ((rc < 0 && !is_gone) || (rc = joined_look(self)) < 0) {
            break;
        }
        const int is_same = is_same_file(self, &before) && (length > 0 || self->state.outlet.length == 0);
        if (is_same && !is_gone) {
            lines_extend(self->past, length > 0 ? self->state.outlet.length : LINES_TO_THE_END);
            break;
        }
        if (is_same && was_gone && tries >= JOINED_TRIES_MOST) {
            break; /* the writer died between the two names */
        }
        was_gone = is_gone;
        self->platform->ops->sleep_ns(self->platform, TRY_AGAIN_NS);
    }
    return rc;
}

/* The live file that was added is the one that the checkpoint named, if that names it still: a later file may have got
 * the inode of that one, which was compressed. Returns 0, or -ENOENT: the log is in another file. */
static int look_again(struct joined *self) {
    const struct outlet_state named = self->state.outlet;
    const int rc = joined_look(self);
    const uint64_t length = self->state.outlet.length;
    if (rc < 0) {
        return rc;
    }
    if (!is_same_file(self, &named) || (named.length == 0 && length > 0)) {
        self->has_live = 0;
        return -ENOENT;
    }
    if (length > 0) {
        lines_extend(self->past, length);
    }
    return 0;
}

/* As follow_files. Returns -ENOENT, and has added no file, if the next file has lost its name and the checkpoint does not
 * say so yet. is_last: its archive stands for it. */
static int try_to_follow(struct joined *self, const struct outlet_state *before, int is_last) {
    struct stat held;
    int rc = joined_look(self);
    if (rc < 0) {
        return rc;
    }
    const uint64_t length = self->state.outlet.length;
    const int is_listed = before->length > 0; /* a file without a byte was not */
    if (is_same_file(self, before) && length >= before->length && (is_listed || length == 0)) {
        if (is_listed) {
            lines_extend(self->past, length);
        }
        return 0;
    }
    const size_t count = lines_count(self->past);
    const int is_held = lines_status(self->past, &held);
    lines_extend(self->past, LINES_TO_THE_END);
    rc = add_archives(self, is_held ? &held : NULL);
    rc = rc < 0 ? rc : add_live_file(self);
    if (rc == -ENOENT && is_last) {
        return 0; /* the writer died between the two names */
    }
    rc = rc < 0 ? rc : look_again(self);
    while (rc == -ENOENT && lines_count(self->past) > count) {
        lines_drop(self->past);
    }
    return rc;
}

/* The files go on where the newest checkpoint says: in the same file, or in the next ones. */
static int follow_files(struct joined *self) {
    const struct outlet_state before = self->state.outlet;
    int rc = -ENOENT;
    for (int tries = 0; rc == -ENOENT; tries++) {
        if (tries > 0) {
            self->platform->ops->sleep_ns(self->platform, TRY_AGAIN_NS);
        }
        rc = try_to_follow(self, &before, tries == JOINED_TRIES_MOST);
    }
    return rc;
}

/* The lines are read up to the seam: goes on in the ring, or in the files if the ring has been written over. Returns 1 if
 * there may be more, 0 if not, or -errno. */
static int leave_lines(struct joined *self) {
    int rc = joined_go_to_seam(self);
    if (rc == 1) {
        self->is_past = 0;
        self->is_counted = 1;
        self->offset = self->state.outlet.length;
        return 1;
    }
    const uint64_t before = self->state.drained_position;
    rc = rc < 0 ? rc : follow_files(self);
    return rc < 0 ? rc : self->state.drained_position != before;
}

/* Counts the bytes that the record takes in the log file. */
static void count(struct joined *self, const burst_read_t *record) {
    if (record->kind == BURST_READ_RECORD) {
        self->offset += record->length;
    } else {
        self->is_counted = 0;
    }
}

/* The reader has all that is durable. If the drain has it, too, the checkpoint is a seam here. */
static void find_seam(struct joined *self) {
    const int64_t now_ns = platform_monotonic_ns(self->platform);
    if (self->is_counted || self->past == NULL || self->is_segments || now_ns - self->seam_ns < SEAM_EVERY_NS) {
        return;
    }
    self->seam_ns = now_ns;
    if (joined_look(self) == 0 && self->state.drained_position == ring_source_place(self->ring).position) {
        lines_clear(self->past);
        self->is_counted = add_live_file(self) == 0;
        self->offset = self->state.outlet.length;
    }
}

/* Opens the log file, which was empty at the seam. Returns 1, or 0 if it was rolled meanwhile. */
static int open_at_offset(struct joined *self, const struct outlet_state *before) {
    char path[BURST_PATH_BYTES];
    lines_clear(self->past);
    self->has_live = outlet_state_file(&self->state.outlet, path, sizeof path) == 0 &&
                     lines_add(self->past, path, self->offset, self->state.outlet.length) == 0 &&
                     lines_hold(self->past) == 0 && is_named(self) && joined_look(self) == 0 &&
                     is_same_file(self, before);
    if (self->has_live) {
        lines_extend(self->past, self->state.outlet.length);
    }
    return self->has_live;
}

/* The lines go on at the offset, in the file that was open at the seam if it is there. Returns 1, or 0 if the log is in
 * another file. */
static int go_to_offset(struct joined *self) {
    const struct outlet_state before = self->state.outlet;
    return joined_look(self) == 0 && is_same_file(self, &before) &&
           ((self->has_live && lines_resume(self->past, self->offset, self->state.outlet.length)) ||
            open_at_offset(self, &before));
}

/* Goes to the record in the files by their indexes, or to the first one behind it that they still have: *missed then
 * counts those before. Returns 1 if they have all of it. */
static int go_back_by_index(struct joined *self, burst_read_t *missed) {
    int64_t oldest = 0;
    int rc = joined_list_files(self);
    rc = rc < 0 ? rc : self->past->ops->seek(self->past, BURST_FROM_SEQUENCE, missed->sequence);
    if (rc == 0) {
        self->is_past = 1;
        return 1;
    }
    if (rc == -ERANGE && lines_oldest(self->past, &oldest) == 1 && oldest > missed->sequence &&
        (uint64_t)(oldest - missed->sequence) < missed->count &&
        self->past->ops->seek(self->past, BURST_FROM_SEQUENCE, oldest) == 0) {
        missed->count = (uint64_t)(oldest - missed->sequence);
        self->is_past = 1;
    }
    return 0;
}

/* The ring was written over before the reader got there. Returns 1 if the files have what it missed. */
static int go_back(struct joined *self, burst_read_t *missed) {
    if (self->past == NULL) {
        return 0;
    }
    if (self->is_segments) {
        return joined_go_back_in_segments(self, missed);
    }
    if (!self->is_counted || !go_to_offset(self)) {
        return go_back_by_index(self, missed);
    }
    self->is_past = 1;
    return 1;
}

/* ------------------------------------------------------------------------------------------------------------ next */

static int next_past(struct joined *self, burst_read_t *record) {
    self->past->needle = self->source.needle;
    const int rc = self->past->ops->next(self->past, record);
    if (rc == 1 && self->is_segments) {
        if (record->kind == BURST_READ_MISSED && record->sequence == 0) { /* deleted since they were found */
            record->sequence = self->next_sequence;
        }
        self->next_sequence = record->sequence + (int64_t)record->count;
    }
    if (rc == 1 && (record->kind == BURST_READ_RECORD || record->kind == BURST_READ_ROLL)) {
        record->stream = self->id;
    }
    return rc;
}

static int next(struct read_source *source, burst_read_t *record) {
    struct joined *self = joined_of(source);
    for (;;) {
        int rc = self->is_past ? next_past(self, record) : self->ring->ops->next(self->ring, record);
        if (self->is_past && rc == 0) {
            rc = self->is_segments ? joined_leave_segments(self) : leave_lines(self);
            if (rc <= 0) {
                return rc;
            }
            continue;
        }
        if (!self->is_past && rc == 0) {
            find_seam(self);
        } else if (!self->is_past && rc == 1 && record->kind == BURST_READ_MISSED && go_back(self, record)) {
            continue;
        } else if (!self->is_past && rc == 1) {
            count(self, record);
        }
        return rc;
    }
}

static int wait_for_more(struct read_source *source, int64_t timeout_ns) {
    struct joined *self = joined_of(source);
    struct read_source *from = self->is_past ? self->past : self->ring;
    return from->ops->wait(from, timeout_ns);
}

/* ----------------------------------------------------------------------------------------------------------- state */

static void state(const struct read_source *source, burst_reader_state_t *state) {
    const struct joined *self = (const struct joined *)source;
    self->ring->ops->state(self->ring, state);
    const int64_t next_sequence = state->next_sequence;
    const uint32_t place = state->place;
    if (self->past != NULL) {
        self->past->ops->state(self->past, state);
    }
    if (!self->is_past) {
        state->place = place;
        state->next_sequence = next_sequence;
    }
}

static int file(const struct read_source *source, struct read_file *found) {
    const struct joined *self = (const struct joined *)source;
    return self->is_past && self->past->ops->file(self->past, found);
}

static void close_source(struct read_source *source) {
    struct joined *self = joined_of(source);
    self->ring->ops->close(self->ring);
    if (self->past != NULL) {
        self->past->ops->close(self->past);
    }
    free(self->archives);
    free(self);
}

/* ------------------------------------------------------------------------------------------------------------ open */

static int open_past(struct joined *self, const burst_reader_config_t *config) {
    int rc = joined_look(self);
    if (rc < 0) {
        return rc;
    }
    if (self->follower.outlet.path[0] != '\0' &&
        segments_source_open(self->platform, self->follower.outlet.path, &self->past) == 0) {
        self->is_segments = 1;
        return 0;
    }
    if (self->state.outlet.kind != OUTLET_FILE) {
        return 0;
    }
    if (config->archives != NULL && (self->archives = strdup(config->archives)) == NULL) {
        return error_set(ENOMEM, "no memory for the pattern of archives");
    }
    return lines_make(self->platform, 0, &self->past);
}

int joined_open(const struct platform *platform, const burst_reader_config_t *config, struct read_source *ring,
                struct read_source **source) {
    static const struct read_source_ops ops = {
        .next = next, .wait = wait_for_more, .seek = joined_seek, .state = state, .close = close_source, .file = file};
    struct joined *self = calloc(1, sizeof *self);
    if (self == NULL) {
        ring->ops->close(ring);
        return error_set(ENOMEM, "no memory to read a stream: %zu bytes", sizeof *self);
    }
    self->source.ops = &ops;
    self->platform = platform;
    self->ring = ring;
    int rc = choose_stream(self->ring, config->stream, &self->id);
    if (rc == 0) { /* all streams: the ring alone */
        free(self);
        *source = ring;
        return 0;
    }
    if (rc > 0) {
        ring_source_choose(ring, self->id);
        rc = open_past(self, config);
    }
    if (rc < 0) {
        close_source(&self->source);
        return rc;
    }
    *source = &self->source;
    return 0;
}

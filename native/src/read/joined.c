/* SPDX-License-Identifier: Apache-2.0 */
#include "read/joined.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "read/choose_stream.h"
#include "read/lines.h"
#include "read/ring_source.h"
#include "read/segments_source.h"

#define TRIES_MOST 20
#define TRY_AGAIN_NS 1000000
#define SEAM_EVERY_NS 100000000

struct joined {
    struct read_source source;
    const struct platform *platform;
    struct read_source *ring;
    struct read_source *past; /* NULL: the stream has no file that can be read */
    int is_segments;          /* `past` has records, else lines */
    int is_past;              /* the next record comes from there */
    uint16_t id;
    int64_t next_sequence; /* segments: the sequence behind the last record that came from them; 0: none came */
    /* The file offset that belongs to the reader's place in the ring; is_counted 0: unknown. */
    int is_counted;
    uint64_t offset;
    int64_t seam_ns;              /* when the seam was last looked for */
    char *archives;               /* NULL: those beside the log file */
    struct stream_state state;    /* of the stream, in the newest checkpoint that was looked at */
    struct stream_state follower; /* of its segments; path "": it has none */
};

static struct joined *self_of(struct read_source *source) {
    return (struct joined *)source;
}

/* ----------------------------------------------------------------------------------------------------- checkpoints */

/* Reads the newest checkpoint again. */
static int look(struct joined *self) {
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

static int go_to_seam(struct joined *self) {
    const struct stream_state *state = &self->state;
    return ring_source_go(self->ring, state->drained_position, state->next_sequence, state->epoch);
}

/* ----------------------------------------------------------------------------------------------------------- lines */

/* Adds the file that the checkpoint names. Returns 0; -ENOENT if another file, or none, has its name now; or -errno. */
static int add_live_file(struct joined *self) {
    char path[BURST_PATH_BYTES];
    struct stat status;
    const struct outlet_state *outlet = &self->state.outlet;
    if (outlet->length == 0) {
        return 0;
    }
    int rc = outlet_state_file(outlet, path, sizeof path) < 0
                 ? error_set(ENAMETOOLONG, "the name of the log file is too long: %.200s", outlet->path)
                 : lines_add(self->past, path, 0, outlet->length);
    rc = rc < 0 ? rc : lines_hold(self->past);
    if (rc == 0 && outlet->mark.inode != 0 && lines_status(self->past, &status) &&
        status.st_ino != outlet->mark.inode) {
        rc = -ENOENT;
    }
    if (rc == -ENOENT) {
        lines_drop(self->past);
        error_set(ENOENT, "log file %.200s is not there: it was moved or deleted", path);
    }
    return rc;
}

/* Lists archives and live file, all of one checkpoint: if a roll came in between, lists them again. A file that the
 * checkpoint names, and that had lost its name before the archives were listed, is one of them. */
static int list_files(struct joined *self) {
    int was_gone = 0, rc = look(self);
    for (int tries = 0; rc == 0; tries++) {
        const uint64_t number = self->state.outlet.roll.file_number;
        const uint64_t length = self->state.outlet.length;
        lines_clear(self->past);
        rc = lines_add_archives(self->past, self->state.outlet.path, self->archives, NULL, length > 0);
        rc = rc < 0 ? rc : add_live_file(self);
        const int is_gone = rc == -ENOENT;
        if ((rc < 0 && !is_gone) || (rc = look(self)) < 0) {
            break;
        }
        const int is_same =
            self->state.outlet.roll.file_number == number && (length > 0 || self->state.outlet.length == 0);
        if (is_same && !is_gone) {
            lines_extend(self->past, length > 0 ? self->state.outlet.length : LINES_TO_THE_END);
            break;
        }
        if (is_same && was_gone && tries >= TRIES_MOST) {
            break; /* the writer died between the two names */
        }
        was_gone = is_gone;
        self->platform->ops->sleep_ns(self->platform, TRY_AGAIN_NS);
    }
    return rc;
}

/* The files go on where the newest checkpoint says: in the same file, or in the next ones. */
static int follow_files(struct joined *self) {
    struct stat held;
    const uint64_t number = self->state.outlet.roll.file_number, length = self->state.outlet.length;
    const int rc = look(self);
    if (rc < 0) {
        return rc;
    }
    if (self->state.outlet.roll.file_number == number && self->state.outlet.length >= length) {
        lines_extend(self->past, self->state.outlet.length);
        return 0;
    }
    const int is_held = lines_status(self->past, &held);
    lines_extend(self->past, LINES_TO_THE_END);
    const int listed = lines_add_archives(self->past, self->state.outlet.path, self->archives, is_held ? &held : NULL,
                                          self->state.outlet.length > 0);
    return listed < 0 ? listed : add_live_file(self);
}

/* The lines are read up to the seam: goes on in the ring, or in the files if the ring has been written over. Returns 1 if
 * there may be more, 0 if not, or -errno. */
static int leave_lines(struct joined *self) {
    int rc = go_to_seam(self);
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
    if (look(self) == 0 && self->state.drained_position == ring_source_place(self->ring).position) {
        lines_clear(self->past);
        self->is_counted = add_live_file(self) == 0;
        self->offset = self->state.outlet.length;
    }
}

/* A file that has not begun has the number that it will get. */
static uint64_t file_number(const struct joined *self) {
    const uint64_t number = self->state.outlet.roll.file_number;
    return number == 0 ? 1 : number;
}

/* Opens the log file, which was empty at the seam. Returns 1, or 0 if it was rolled meanwhile. */
static int open_at_offset(struct joined *self, uint64_t number) {
    char path[BURST_PATH_BYTES];
    lines_clear(self->past);
    return outlet_state_file(&self->state.outlet, path, sizeof path) == 0 &&
           lines_add(self->past, path, self->offset, self->state.outlet.length) == 0 && lines_hold(self->past) == 0 &&
           look(self) == 0 && file_number(self) == number && (lines_extend(self->past, self->state.outlet.length), 1);
}

/* The ring was written over before the reader got there. Returns 1 if the files have what it missed. */
static int go_back(struct joined *self, const burst_read_t *missed) {
    if (self->past == NULL) {
        return 0;
    }
    if (self->is_segments) {
        self->is_past = self->past->ops->seek(self->past, BURST_FROM_SEQUENCE, missed->sequence) == 0;
        self->next_sequence = missed->sequence;
        return self->is_past;
    }
    const uint64_t number = file_number(self);
    if (!self->is_counted || look(self) < 0 || file_number(self) != number ||
        (!lines_resume(self->past, self->offset, self->state.outlet.length) && !open_at_offset(self, number))) {
        return 0;
    }
    self->is_past = 1;
    return 1;
}

/* -------------------------------------------------------------------------------------------------------- segments */

/* The segments have no more: goes on in the ring behind their last record. */
static int leave_segments(struct joined *self) {
    const int rc = self->next_sequence == 0
                       ? self->ring->ops->seek(self->ring, BURST_FROM_OLDEST, 0)
                       : self->ring->ops->seek(self->ring, BURST_FROM_SEQUENCE, self->next_sequence);
    if (rc == 0) {
        self->is_past = 0;
        return 1;
    }
    return rc == -ERANGE ? 0 : rc; /* they will be in the segments in a moment */
}

/* ------------------------------------------------------------------------------------------------------------ next */

static int next_past(struct joined *self, burst_read_t *record) {
    const int rc = self->past->ops->next(self->past, record);
    if (rc == 1 && self->is_segments) {
        if (record->sequence < self->next_sequence) {
            return -EAGAIN; /* the ring has given it */
        }
        self->next_sequence = record->sequence + (int64_t)record->count;
        record->stream =
            record->kind == BURST_READ_RECORD || record->kind == BURST_READ_ROLL ? self->id : record->stream;
    }
    return rc;
}

static int next(struct read_source *source, burst_read_t *record) {
    struct joined *self = self_of(source);
    for (;;) {
        int rc = self->is_past ? next_past(self, record) : self->ring->ops->next(self->ring, record);
        if (rc == -EAGAIN) {
            continue;
        }
        if (self->is_past && rc == 0) {
            rc = self->is_segments ? leave_segments(self) : leave_lines(self);
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
    struct joined *self = self_of(source);
    struct read_source *from = self->is_past ? self->past : self->ring;
    return from->ops->wait(from, timeout_ns);
}

/* ------------------------------------------------------------------------------------------------------------ seek */

static int begin_past(struct joined *self) {
    self->next_sequence = 0;
    const int rc = self->is_segments ? self->past->ops->seek(self->past, BURST_FROM_OLDEST, 0) : list_files(self);
    self->is_past = rc == 0;
    return rc;
}

/* The log file has no times. So a time that is before the oldest record of the ring cannot be found. */
static int seek_time(struct joined *self, int64_t time_ns) {
    burst_read_t first = {.struct_bytes = sizeof first};
    int rc = self->ring->ops->seek(self->ring, BURST_FROM_RING, 0);
    rc = rc < 0 ? rc : look(self);
    rc = rc < 0 ? rc : self->ring->ops->next(self->ring, &first);
    if (rc > 0 && first.sequence > 1 && first.event_time_ns > time_ns && self->past != NULL &&
        self->state.outlet.length > 0) {
        return error_set(ERANGE,
                         "the ring begins with record %lld, which is later than that time, and log file %.200s has no "
                         "index to find a time: give the stream segments, or search the text of the file",
                         (long long)first.sequence, self->state.outlet.path);
    }
    return rc < 0 ? rc : self->ring->ops->seek(self->ring, BURST_FROM_TIME, time_ns);
}

/* The last `count`: those behind the seam from the ring, those before it from the files. */
static int seek_last(struct joined *self, uint64_t count) {
    uint64_t in_ring = 0;
    int rc = self->ring->ops->seek(self->ring, BURST_FROM_LAST, (int64_t)count);
    if (rc < 0 || ring_source_found(self->ring) >= count || self->past == NULL) {
        return rc;
    }
    if (self->is_segments) {
        const int64_t first = (int64_t)ring_source_place(self->ring).sequence;
        self->is_past = 1;
        self->next_sequence = 0;
        return segments_source_go_before(self->past, first, count - ring_source_found(self->ring));
    }
    for (int tries = 0; tries < TRIES_MOST; tries++) {
        rc = list_files(self);
        rc = rc < 0 ? rc : go_to_seam(self);
        if (rc < 0) {
            return rc;
        }
        if (rc == 1 && ring_source_count(self->ring, &in_ring) == 0) {
            break;
        }
    }
    self->is_past = 1;
    return self->past->ops->seek(self->past, BURST_FROM_LAST, (int64_t)(count > in_ring ? count - in_ring : 0));
}

static int seek(struct read_source *source, enum burst_read_from from, int64_t value) {
    struct joined *self = self_of(source);
    int rc;
    self->is_past = self->is_counted = 0;
    self->next_sequence = 0;
    switch (from) {
    case BURST_FROM_OLDEST:
        return self->past != NULL ? begin_past(self) : self->ring->ops->seek(self->ring, from, value);
    case BURST_FROM_LAST:
        return seek_last(self, (uint64_t)value);
    case BURST_FROM_TIME:
        if (!self->is_segments) {
            return seek_time(self, value);
        }
        self->is_past = 1;
        return self->past->ops->seek(self->past, from, value);
    default:
        rc = self->ring->ops->seek(self->ring, from, value);
        if (rc == -ERANGE && self->is_segments) {
            self->is_past = 1;
            rc = self->past->ops->seek(self->past, from, value);
        }
        return rc;
    }
}

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
    } else if (!self->is_segments) {
        state->next_sequence = 0;
    }
}

static void close_source(struct read_source *source) {
    struct joined *self = self_of(source);
    self->ring->ops->close(self->ring);
    if (self->past != NULL) {
        self->past->ops->close(self->past);
    }
    free(self->archives);
    free(self);
}

/* ------------------------------------------------------------------------------------------------------------ open */

static int open_past(struct joined *self, const burst_reader_config_t *config) {
    int rc = look(self);
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
        .next = next, .wait = wait_for_more, .seek = seek, .state = state, .close = close_source};
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

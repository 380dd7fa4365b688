/* SPDX-License-Identifier: Apache-2.0 */
/* Goes to a record of the joined view: in the ring, or in what is older. */
#include <errno.h>

#include "base/error.h"
#include "read/joined_state.h"
#include "read/lines.h"
#include "read/ring_source.h"
#include "read/segments_source.h"

static int begin_past(struct joined *self) {
    self->next_sequence = 0;
    const int rc =
        self->is_segments ? self->past->ops->seek(self->past, BURST_FROM_OLDEST, 0) : joined_list_files(self);
    self->is_past = rc == 0;
    return rc;
}

/* Begins in the log files, by their indexes. Returns 0, -ERANGE if these do not say where, or another -errno. */
static int seek_in_files(struct joined *self, enum burst_read_from from, int64_t value) {
    const int rc = joined_list_files(self);
    return rc < 0 ? rc : self->past->ops->seek(self->past, from, value);
}

/* The files are asked only if the ring has no earlier record. */
static int seek_time(struct joined *self, int64_t time_ns) {
    burst_read_t first = {.struct_bytes = sizeof first};
    int rc = self->ring->ops->seek(self->ring, BURST_FROM_RING, 0);
    rc = rc < 0 ? rc : joined_look(self);
    do {
        rc = rc < 0 ? rc : self->ring->ops->next(self->ring, &first);
    } while (rc > 0 && first.kind != BURST_READ_RECORD);
    if (rc < 0) {
        return rc;
    }
    if (self->past != NULL && (rc == 0 || (first.sequence > 1 && first.event_time_ns > time_ns))) {
        const int found = seek_in_files(self, BURST_FROM_TIME, time_ns);
        self->is_past = found == 0 && lines_has_found(self->past);
        if (self->is_past || (found < 0 && found != -ERANGE)) {
            return found;
        }
        if (found == -ERANGE && self->state.outlet.length > 0) {
            return error_set(ERANGE,
                             "the ring begins with record %lld, which is later than that time, and log file %.200s has "
                             "no index to find a time: begin with the oldest line, or search the text of the file",
                             (long long)first.sequence, self->state.outlet.path);
        }
    }
    return self->ring->ops->seek(self->ring, BURST_FROM_TIME, time_ns);
}

/* The ring does not have the sequence any more: the segments or the log files may. */
static int seek_sequence_in_past(struct joined *self, int64_t sequence) {
    const int rc = self->is_segments ? self->past->ops->seek(self->past, BURST_FROM_SEQUENCE, sequence)
                                     : seek_in_files(self, BURST_FROM_SEQUENCE, sequence);
    self->is_past = rc == 0;
    self->next_sequence = sequence;
    return rc == -ERANGE && !self->is_segments && self->ring->ops->seek(self->ring, BURST_FROM_RING, 0) == 0
               ? error_set(
                     ERANGE,
                     "record %lld is not in the ring any more, whose oldest record is %llu, and in no index of log "
                     "file %.200s: begin with the oldest line",
                     (long long)sequence, (unsigned long long)ring_source_place(self->ring).sequence,
                     self->state.outlet.path)
               : rc;
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
    for (int tries = 0; tries < JOINED_TRIES_MOST; tries++) {
        rc = joined_list_files(self);
        rc = rc < 0 ? rc : joined_go_to_seam(self);
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

static int go(struct joined *self, enum burst_read_from from, int64_t value) {
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
        return rc == -ERANGE && self->past != NULL ? seek_sequence_in_past(self, value) : rc;
    }
}

/* Lists the files anew in a source of its own: after an error the reader is where it was. */
int joined_seek(struct read_source *source, enum burst_read_from from, int64_t value) {
    struct joined *self = joined_of(source);
    const struct joined before = *self;
    const struct ring_source_mark mark = ring_source_mark(self->ring);
    const int has_lines = self->past != NULL && !self->is_segments;
    int rc = has_lines ? lines_make(self->platform, 0, &self->past) : 0;
    if (rc < 0) {
        return rc;
    }
    self->has_live = 0;
    rc = go(self, from, value);
    if (rc >= 0 && has_lines) {
        lines_take_over(self->past, before.past);
    } else if (rc < 0) {
        if (has_lines) {
            self->past->ops->close(self->past);
        }
        *self = before;
        ring_source_return(self->ring, &mark);
    }
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The joined view between ring and segments. A log may be opened without its segments, or with others, while it is read. */
#include <errno.h>

#include "read/joined_state.h"
#include "read/ring_source.h"
#include "read/segments_source.h"

/* Whether the log still writes these segments, as the newest checkpoint says. Returns 1, 0, or -errno with a sentence. */
static int are_written(struct joined *self) {
    const int rc = joined_look(self);
    return rc < 0 ? rc : segments_source_is_in(self->past, self->follower.outlet.path);
}

int joined_go_back_in_segments(struct joined *self, burst_read_t *missed) {
    int64_t first;
    const int is_written = are_written(self); /* before they are searched: they get all records before they end */
    const int found = segments_source_find(self->past, missed->sequence, &first);
    const uint64_t gone = (uint64_t)(first - missed->sequence);
    if (found < 0 || (found == 0 && is_written != 1) || gone >= missed->count) {
        return 0;
    }
    self->is_past = 1;
    self->next_sequence = first;
    missed->count = gone > 0 ? gone : missed->count;
    return gone == 0;
}

int joined_leave_segments(struct joined *self) {
    const int is_of_ring = self->next_sequence != 0 && segments_source_is_of(self->past, ring_source_seed(self->ring));
    int rc = is_of_ring ? self->ring->ops->seek(self->ring, BURST_FROM_SEQUENCE, self->next_sequence)
                        : self->ring->ops->seek(self->ring, BURST_FROM_OLDEST, 0);
    if (rc == -ERANGE) {
        rc = are_written(self);
        if (rc != 0) {
            return rc < 0 ? rc : 0; /* they will be in the segments in a moment */
        }
        /* The first place of all was written over long ago: from there the ring tells what is missed. */
        rc = ring_source_go(self->ring, 0, (uint64_t)self->next_sequence, 0);
    }
    self->is_past &= rc != 0;
    return rc < 0 ? rc : !self->is_past;
}

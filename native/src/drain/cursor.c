/* SPDX-License-Identifier: Apache-2.0 */
#include "drain/cursor.h"

#include "media/record.h"

static const struct recovery_jump *jump_here(const struct cursor *cursor, const struct recovery *recovery) {
    if (cursor->jump < recovery->jump_count && recovery->jumps[cursor->jump].gap.from == cursor->walk.position) {
        return &recovery->jumps[cursor->jump];
    }
    return NULL;
}

static void jump_over(struct cursor *cursor, const struct recovery_jump *jump,
                      const struct record_format *record_format, struct batch *batch) {
    if (jump->gap.damaged) {
        const struct record_loss loss = {.first_sequence = jump->gap.first_sequence,
                                         .count = jump->gap.count,
                                         .from = jump->gap.from,
                                         .to = jump->gap.to};
        batch->used += record_format->loss(&loss, batch->bytes + batch->used);
    }
    walk_over_gap(&cursor->walk, &jump->gap);
    cursor->jump++;
}

/* Pages that a mapped ring lost have zeros in them. What was read is what was written if it is there still. */
static int is_still_there(const struct cursor *cursor, const struct ring *ring) {
    return device_lost_pages(ring->device) == 0 ||
           record_judge(ring->image, ring->geometry.capacity_bytes, cursor->walk.position, ring->geometry.crc_seed) ==
               RECORD_VALID;
}

void cursor_fill(struct cursor *cursor, const struct log_source *source, uint64_t until, struct batch *batch) {
    const struct walk_shape shape = ring_shape(source->ring);
    while (cursor->walk.position < until) {
        const struct recovery_jump *jump = jump_here(cursor, source->recovery);
        if (jump != NULL) {
            if (batch->room - batch->used < RECORD_LOSS_BYTES) {
                return;
            }
            jump_over(cursor, jump, source->record_format, batch);
            continue;
        }
        const struct record_header *place = record_at(source->ring->image, shape.capacity_bytes, cursor->walk.position);
        const struct record_header header = *place;
        const size_t size = source->record_format->record_size(&header);
        if (batch->room - batch->used < size) {
            return;
        }
        if (size > 0) {
            source->record_format->record(&header, record_payload(place), batch->bytes + batch->used);
        }
        if (!is_still_there(cursor, source->ring)) {
            return;
        }
        batch->used += size;
        walk_over_record(&cursor->walk, &shape, &header);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/log_source.h"

#include <errno.h>

#include "media/record.h"

struct log_cursor log_source_at(const struct log_source *source, uint64_t position, uint64_t sequence, uint32_t epoch) {
    const struct recovery *recovery = source->recovery;
    struct log_cursor cursor = {.walk = walk_from(&source->shape, position, sequence, epoch)};
    while (cursor.gap < recovery->jump_count && recovery->jumps[cursor.gap].gap.to <= cursor.walk.position) {
        cursor.gap++;
    }
    return cursor;
}

int log_source_is_still_there(const struct log_source *source, uint64_t position) {
    return source->ops->fetch != NULL || source->ops->has_lost_pages == NULL || !source->ops->has_lost_pages(source) ||
           record_judge(source->image, source->shape.capacity_bytes, position, source->crc_seed) == RECORD_VALID;
}

int log_source_next(const struct log_source *source, struct log_cursor *cursor, uint64_t until, struct log_item *item) {
    const struct recovery *recovery = source->recovery;
    while (cursor->walk.position < until) {
        const uint64_t position = cursor->walk.position;
        /* The gap may begin before the position: its range was damaged after the stream had drained a part of it. */
        if (cursor->gap < recovery->jump_count && recovery->jumps[cursor->gap].gap.from <= position) {
            const struct walk_gap *gap = &recovery->jumps[cursor->gap++].gap;
            cursor->walk.sequence = gap->first_sequence;
            walk_over_gap(&cursor->walk, gap);
            if (gap->damaged) {
                item->kind = LOG_LOSS;
                item->gap = *gap;
                return 1;
            }
            continue;
        }
        const struct record_header *here = source->ops->fetch == NULL
                                               ? record_at(source->image, source->shape.capacity_bytes, position)
                                               : source->ops->fetch(source, position);
        if (here == NULL) {
            return -EIO;
        }
        item->header = *here;
        if (item->header.type == RECORD_DATA) {
            walk_over_record(&cursor->walk, &source->shape, &item->header);
            item->kind = LOG_RECORD;
            item->payload = record_payload(here);
            return 1;
        }
        if (!log_source_is_still_there(source, position)) {
            return -EIO;
        }
        walk_over_record(&cursor->walk, &source->shape, &item->header);
    }
    return 0;
}

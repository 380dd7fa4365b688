/* SPDX-License-Identifier: Apache-2.0 */
#include "media/walk.h"

#include "media/record.h"

struct walk walk_from(const struct walk_shape *shape, uint64_t position, uint64_t sequence, uint32_t epoch) {
    return (struct walk){
        .position = record_start(position, shape->capacity_bytes), .sequence = sequence, .epoch = epoch};
}

/* A marker has its block for itself even where commits end at lines. */
uint64_t walk_end_of_record(const struct walk_shape *shape, uint64_t position, const struct record_header *header) {
    const uint64_t unit =
        shape->line_bytes != 0 && header->type != RECORD_MARKER ? shape->line_bytes : shape->block_bytes;
    const uint64_t end = position + record_bytes(header->length);
    return record_start(header->flags & RECORD_LAST ? align_up(end, unit) : end, shape->capacity_bytes);
}

void walk_over_record(struct walk *walk, const struct walk_shape *shape, const struct record_header *header) {
    walk->position = walk_end_of_record(shape, walk->position, header);
    walk->sequence = header->sequence + (uint64_t)record_has_sequence(header);
    walk->epoch = header->epoch;
}

void walk_over_gap(struct walk *walk, const struct walk_gap *gap) {
    walk->position = gap->to;
    walk->sequence += gap->count;
}

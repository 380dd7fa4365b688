/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/reader.h"

void reader_begin(struct reader *reader, const struct recovery_input *input, const struct recovery *recovery) {
    *reader = (struct reader){.input = input,
                              .recovery = recovery,
                              .walk = walk_from(&input->shape, recovery->start, recovery->first_sequence, 0)};
}

int reader_begin_with_drained(struct reader *reader, const struct recovery_input *input,
                              const struct recovery *recovery) {
    reader_begin(reader, input, recovery);
    const uint64_t start = recovery->start, capacity = input->shape.capacity_bytes;
    struct bounded_validation bounded_validation = {.input = input};
    /* The map reaches to the end of the window: waiting records may contradict earlier ones. */
    const int rc = record_map_make(recovery->platform, &bounded_validation, start > capacity ? start - capacity : 0,
                                   start + capacity, &reader->drained);
    reader->walk.position = reader->drained.begin;
    return rc < 0 ? rc : bounded_validation_outcome(&bounded_validation);
}

static int next_drained(struct reader *reader, struct reader_item *item) {
    const uint64_t start = reader->recovery->start;
    while (reader->walk.position < start) {
        const uint64_t at = record_map_next(&reader->drained, reader->walk.position);
        const struct record_header *record = record_at(reader->input->image, reader->input->shape.capacity_bytes, at);
        if (at < start && at + record_bytes(record->length) <= start) {
            *item = (struct reader_item){.kind = READER_DRAINED, .record = record};
            reader->walk.position = at + record_bytes(record->length);
            return 1;
        }
        reader->walk.position = at < start ? at + RECORD_ALIGN_BYTES : start;
    }
    reader->walk = walk_from(&reader->input->shape, start, reader->recovery->first_sequence, 0);
    return 0;
}

int reader_next(struct reader *reader, struct reader_item *item) {
    const struct recovery *recovery = reader->recovery;
    if (reader->walk.position < recovery->start && next_drained(reader, item)) {
        return 1;
    }
    if (reader->walk.position >= recovery->log_end) {
        return 0;
    }
    const struct recovery_input *input = reader->input;
    if (reader->jump < recovery->jump_count && recovery->jumps[reader->jump].gap.from == reader->walk.position) {
        const struct recovery_jump *jump = &recovery->jumps[reader->jump++];
        *item = (struct reader_item){.kind = jump->gap.damaged ? READER_DAMAGE : READER_VOID, .jump = jump};
        walk_over_gap(&reader->walk, &jump->gap);
        return 1;
    }
    const struct record_header *record = record_at(input->image, input->shape.capacity_bytes, reader->walk.position);
    *item = (struct reader_item){.kind = READER_WAITING, .record = record};
    walk_over_record(&reader->walk, &input->shape, record);
    return 1;
}

void reader_end(struct reader *reader) {
    record_map_free(reader->recovery->platform, &reader->drained);
}

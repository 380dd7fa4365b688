/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judging the places of an image one after the other, with a bound on the work: whole headers that claim the bytes of
 * each other, deeper than writers leave them, could make every place cost a CRC over a large part of the ring.
 */
#ifndef BURST_RECOVERY_BOUNDED_VALIDATION_H
#define BURST_RECOVERY_BOUNDED_VALIDATION_H

#include "media/record.h"
#include "recovery/input.h"

struct bounded_validation {
    const struct recovery_input *input;
    uint64_t bytes; /* of the payloads looked at so far */
};

/* judge_at where a header says that it stands here. */
enum record_verdict judge_header(struct bounded_validation *bounded_validation, uint64_t position);

/* As record_judge; a marker that no writer makes has no whole payload. RECORD_INVALID once the bound is reached. Almost
 * every place of a ring is told apart by its position alone. */
static inline enum record_verdict judge_at(struct bounded_validation *bounded_validation, uint64_t position) {
    const struct recovery_input *input = bounded_validation->input;
    return record_at(input->image, input->shape.capacity_bytes, position)->position == position
               ? judge_header(bounded_validation, position)
               : RECORD_INVALID;
}

/* 0, or -EUCLEAN with a sentence if the bound was reached. */
int bounded_validation_outcome(const struct bounded_validation *bounded_validation);

#endif

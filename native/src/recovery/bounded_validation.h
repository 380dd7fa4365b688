/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judging the places of an image one after the other, with a bound on the work. Whole headers may claim each other's
 * bytes, deeper than any writer leaves them. Without the bound, each place could then cost a CRC over a large part of
 * the ring.
 */
#ifndef BURST_RECOVERY_BOUNDED_VALIDATION_H
#define BURST_RECOVERY_BOUNDED_VALIDATION_H

#include "media/record.h"
#include "recovery/input.h"

struct bounded_validation {
    const struct recovery_input *input;
    uint64_t bytes; /* total length of the payloads judged so far */
};

/* judge_at for a place whose header says that it stands there. */
enum record_verdict judge_header(struct bounded_validation *bounded_validation, uint64_t position);

/* Judges a place as record_judge does, but a marker that no writer makes counts as a header without a whole payload.
 * Returns RECORD_INVALID once the bound is reached. The position in the header alone rules out almost every place. */
static inline enum record_verdict judge_at(struct bounded_validation *bounded_validation, uint64_t position) {
    const struct recovery_input *input = bounded_validation->input;
    return record_at(input->image, input->shape.capacity_bytes, position)->position == position
               ? judge_header(bounded_validation, position)
               : RECORD_INVALID;
}

/* Returns 0, or -EUCLEAN with a sentence if the bound was reached. */
int bounded_validation_outcome(const struct bounded_validation *bounded_validation);

#endif

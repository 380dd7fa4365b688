/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/judging.h"

#include <errno.h>

#include "base/error.h"

/* A recovery passes over the ring three times, and only void records have others inside them. */
#define CAPACITIES_AT_MOST 64u

static int is_over(const struct judging *judging) {
    return judging->bytes > CAPACITIES_AT_MOST * judging->input->capacity_bytes;
}

enum record_verdict judge_header(struct judging *judging, uint64_t position) {
    const struct recovery_input *input = judging->input;
    const struct record_header *header = record_at(input->image, input->capacity_bytes, position);
    if (is_over(judging) || !record_has_header(input->image, input->capacity_bytes, position, input->crc_seed)) {
        return RECORD_INVALID;
    }
    judging->bytes += header->length;
    const enum record_verdict verdict = record_judge(input->image, input->capacity_bytes, position, input->crc_seed);
    return verdict == RECORD_VALID && header->type == RECORD_MARKER && !marker_is_whole(header, input->block_bytes)
               ? RECORD_HEADER_ONLY
               : verdict;
}

int judging_outcome(const struct judging *judging) {
    return is_over(judging)
               ? error_set(EUCLEAN, "the ring holds records inside each other, as no writer leaves them: it "
                                    "is left as it is; restore it from a copy, or format it anew")
               : 0;
}

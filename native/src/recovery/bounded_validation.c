/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/bounded_validation.h"

#include <errno.h>

#include "base/error.h"

/* A recovery judges the ring once, and once more what it finds behind damage. Only void records have other records
 * inside them, so the bound leaves room. */
#define CAPACITIES_AT_MOST 64u

static int is_over(const struct bounded_validation *bounded_validation) {
    return bounded_validation->bytes > CAPACITIES_AT_MOST * bounded_validation->input->shape.capacity_bytes;
}

enum record_verdict judge_header(struct bounded_validation *bounded_validation, uint64_t position) {
    const struct recovery_input *input = bounded_validation->input;
    const struct record_header *header = record_at(input->image, input->shape.capacity_bytes, position);
    if (is_over(bounded_validation) ||
        !record_has_header(input->image, input->shape.capacity_bytes, position, input->crc_seed)) {
        return RECORD_INVALID;
    }
    bounded_validation->bytes += header->length;
    const enum record_verdict verdict = record_judge_payload(header);
    return verdict == RECORD_VALID && header->type == RECORD_MARKER &&
                   !marker_is_whole(header, input->shape.block_bytes)
               ? RECORD_HEADER_ONLY
               : verdict;
}

int bounded_validation_outcome(const struct bounded_validation *bounded_validation) {
    return is_over(bounded_validation)
               ? error_set(EUCLEAN, "the ring holds records inside each other, as no writer leaves them: it "
                                    "is left as it is; restore it from a copy, or format it anew")
               : 0;
}

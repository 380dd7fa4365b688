/* SPDX-License-Identifier: Apache-2.0 */
/* A checkpoint slot with one stream without a name, as it is on a medium. */
#ifndef BURST_TEST_ONE_STREAM_H
#define BURST_TEST_ONE_STREAM_H

#include "media/checkpoint.h"

struct one_stream {
    struct checkpoint_head head;
    struct checkpoint_entry stream;
    char path[LAYOUT_MIN_BLOCK_BYTES - sizeof(struct checkpoint_head) - sizeof(struct checkpoint_entry)];
};

_Static_assert(sizeof(struct one_stream) == LAYOUT_MIN_BLOCK_BYTES, "a block");

static inline void one_stream_seal(struct one_stream *slot, uint32_t crc_seed) {
    const struct checkpoint_facts facts = checkpoint_facts((const uint8_t *)slot);
    checkpoint_seal((uint8_t *)slot, &facts, crc_seed);
}

static inline int one_stream_stands(const struct one_stream *slot, uint32_t crc_seed, uint64_t capacity_bytes) {
    return checkpoint_is_valid((const uint8_t *)slot, sizeof *slot, crc_seed, capacity_bytes);
}

#endif

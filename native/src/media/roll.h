/* SPDX-License-Identifier: Apache-2.0 */
/* The payload of a roll record: one file of its stream ends here, and the next one begins. The codec; no I/O. */
#ifndef BURST_MEDIA_ROLL_H
#define BURST_MEDIA_ROLL_H

#include "media/layout.h"
#include "media/roll_layout.h"

/* The decoded rules. The pattern points into the payload and is not terminated. */
struct roll_rules {
    int are_there; /* 0: the record has none that this version can follow, and the other fields are zero */
    struct roll_rules_head head;
    const char *pattern;
};

/* The decoded payload. Its parts point into the payload and are not terminated. */
struct roll {
    const uint8_t *footer;
    const uint8_t *header;
    const char *target;
    const char *next;
    const uint8_t *note;
    uint32_t footer_bytes;
    uint32_t header_bytes;
    uint32_t target_bytes;
    uint32_t next_bytes;
    uint32_t note_bytes;
    uint32_t by_caller;
    int64_t next_time_ns;
    uint64_t next_file_bytes;
    struct roll_rules rules;
};

static inline int record_is_roll(const struct record_header *header) {
    return header->type == RECORD_DATA && (header->flags & RECORD_ROLL) != 0;
}

/* The length of the payload. */
size_t roll_size(const struct roll *roll);

/* Writes roll_size() bytes. The length of the rules' own head is filled in. */
void roll_encode(const struct roll *roll, uint8_t *payload);

/* Decodes the payload and returns 1. If no writer makes such a payload, clears every field and returns 0. Rules that no
 * writer makes are none, and the rest counts. */
int roll_decode(const uint8_t *payload, size_t bytes, struct roll *roll);

#endif

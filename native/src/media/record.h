/* SPDX-License-Identifier: Apache-2.0 */
/* The record codec: sealing a header, and bounded_validation the bytes at a position. No I/O. */
#ifndef BURST_MEDIA_RECORD_H
#define BURST_MEDIA_RECORD_H

#include "media/layout.h"

/* What the leader of a commit knows of a record. */
struct record_seal {
    uint64_t position;
    uint64_t durable_position;
    uint64_t durable_next_sequence;
    uint32_t epoch;
    int last;
};

/* Finishes the header of a published record. Its payload_crc and the producer's fields are in place. */
void record_seal(struct record_header *header, const struct record_seal *seal, uint32_t crc_seed);

/* The seed of every CRC but the superblock's: no other ring's bytes are valid here. */
uint32_t crc_seed_of(const uint8_t uuid[16]);

enum record_verdict {
    RECORD_VALID,       /* header and payload */
    RECORD_HEADER_ONLY, /* the header is whole, the payload is not */
    RECORD_INVALID,
};

/* Judges the bytes at `position` of an image of `capacity` bytes. Knows nothing of epochs: see recovery/rules.h. */
enum record_verdict record_judge(const uint8_t *image, uint64_t capacity, uint64_t position, uint32_t crc_seed);

/* Whether a whole header for exactly this position is there, whatever its payload. */
int record_has_header(const uint8_t *image, uint64_t capacity, uint64_t position, uint32_t crc_seed);

static inline const struct record_header *record_at(const uint8_t *image, uint64_t capacity, uint64_t position) {
    return (const struct record_header *)(image + position % capacity);
}

static inline const uint8_t *record_payload(const struct record_header *header) {
    return (const uint8_t *)(header + 1);
}

static inline const struct marker *marker_of(const struct record_header *header) {
    return (const struct marker *)(header + 1);
}

/* Whether the payload of a valid MARKER is a marker that a writer makes, in a ring of these blocks. */
int marker_is_whole(const struct record_header *header, uint64_t block_bytes);

/* Whether the record takes a sequence of its own. */
static inline int record_has_sequence(const struct record_header *header) {
    return header->type == RECORD_DATA || header->type == RECORD_VOID;
}

#endif

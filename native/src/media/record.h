/* SPDX-License-Identifier: Apache-2.0 */
/* The record codec: sealing a header, and judging the bytes at a position. No I/O. */
#ifndef BURST_MEDIA_RECORD_H
#define BURST_MEDIA_RECORD_H

#include <stddef.h>

#include "base/crc32c.h"
#include "media/layout.h"

/* The facts with which the leader of a commit completes a record's header. */
struct record_seal {
    uint64_t position;
    uint64_t durable_position;
    uint64_t durable_next_sequence;
    uint32_t epoch;
    int last;
};

/* Fields that share a word are stored with one store: the checksum reads whole words, and would wait for a word that
 * was stored in parts. */
#define RECORD_SHIFT(field) (8 * (offsetof(struct record_header, field) - offsetof(struct record_header, length)))

/* Sets length, type, flags and stream. */
static inline void record_set_kind(struct record_header *header, uint64_t length, enum record_type type, uint8_t flags,
                                   uint16_t stream) {
    *(uint64_t *)&header->length = length | (uint64_t)type << RECORD_SHIFT(type) |
                                   (uint64_t)flags << RECORD_SHIFT(flags) | (uint64_t)stream << RECORD_SHIFT(stream);
}

/* Copies what record_set_kind has set. The leader may seal the record meanwhile. */
static inline void record_copy_kind(struct record_header *copy, const struct record_header *header) {
    *(uint64_t *)&copy->length = __atomic_load_n((const uint64_t *)&header->length, __ATOMIC_RELAXED);
}

_Static_assert(RECORD_CRC_COVERS == 52, "record_seal takes the sum that is made for it");

/* Finishes the header of a published record. payload_crc and the producer's fields are in place. */
static inline void record_seal(struct record_header *header, const struct record_seal *seal, uint32_t crc_seed) {
    const uint64_t in_flight = header->sequence - seal->durable_next_sequence;
    header->durable_position = seal->durable_position;
    *(uint64_t *)&header->epoch = seal->epoch | in_flight << 32;
    /* A thread that counts the records lost by a failure of the ring may read these two words meanwhile. */
    if (seal->last) {
        uint64_t *length_to_stream = (uint64_t *)&header->length;
        __atomic_store_n(length_to_stream, *length_to_stream | (uint64_t)RECORD_LAST << RECORD_SHIFT(flags),
                         __ATOMIC_RELAXED);
    }
    __atomic_store_n(&header->position, seal->position, __ATOMIC_RELEASE);
    header->header_crc = crc32c_52(crc_seed, header);
}

/* The seed of every CRC but the superblock's. It makes the bytes of any other ring invalid here. */
uint32_t crc_seed_of(const uint8_t uuid[16]);

enum record_verdict {
    RECORD_VALID,       /* header and payload are whole */
    RECORD_HEADER_ONLY, /* only the header is whole */
    RECORD_INVALID,
};

/* Judges the bytes at `position` of an image of `capacity` bytes. Does not look at the epoch: recovery/rules.h does. */
enum record_verdict record_judge(const uint8_t *image, uint64_t capacity, uint64_t position, uint32_t crc_seed);

/* The verdict on a record of an image whose header is whole. */
enum record_verdict record_judge_payload(const struct record_header *header);

/* Whether this copy of a header, from a ring of `capacity` bytes, is whole and for exactly this position. */
int record_header_is_whole(const struct record_header *header, uint64_t capacity, uint64_t position, uint32_t crc_seed);

/* Whether a whole header for exactly this position is there. The payload does not matter. */
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

/* Whether a valid MARKER's payload is one that a writer makes in a ring of this block size. */
int marker_is_whole(const struct record_header *header, uint64_t block_bytes);

/* Whether the record has a sequence of its own. */
static inline int record_has_sequence(const struct record_header *header) {
    return header->type == RECORD_DATA || header->type == RECORD_VOID;
}

#endif

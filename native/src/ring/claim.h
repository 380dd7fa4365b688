/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The claim word: position and sequence of the next record in 64 bits, so that one compare-and-swap takes both.
 *
 *      63      62     61              36 35                     0
 *     +------+------+-------------------+------------------------+
 *     |CLOSED|FAILED| sequence mod 2^26 | (position / 8) mod 2^36|
 *     +------+------+-------------------+------------------------+
 *
 * The high bits follow from values that lag by less than the modulus: the claimed position is within one capacity
 * (<= 2^38) of `released`, and fewer than 2^25 records are claimed and not durable.
 */
#ifndef BURST_RING_CLAIM_H
#define BURST_RING_CLAIM_H

#include "ring/ring.h"

#define CLAIM_POSITION_BITS 36u
#define CLAIM_POSITION_MASK ((1ull << CLAIM_POSITION_BITS) - 1)
#define CLAIM_SEQUENCE_BITS 26u
#define CLAIM_SEQUENCE_MASK ((1ull << CLAIM_SEQUENCE_BITS) - 1)
#define CLAIM_FAILED (1ull << 62)
#define CLAIM_CLOSED (1ull << 63)
#define CLAIM_SEQUENCES_IN_FLIGHT (1ull << (CLAIM_SEQUENCE_BITS - 1))

struct claim {
    uint64_t position;
    struct record_header *header; /* its place in the image */
    uint64_t sequence;
    uint64_t pad_position; /* a pad record to publish before it, or UINT64_MAX */
};

static inline uint64_t claim_pack(uint64_t position, uint64_t sequence, uint64_t flags) {
    return flags | (sequence & CLAIM_SEQUENCE_MASK) << CLAIM_POSITION_BITS | (position / 8 & CLAIM_POSITION_MASK);
}

/* The full position, given one that is at most 2^39 - 8 bytes behind it. */
static inline uint64_t claim_position(uint64_t word, uint64_t behind) {
    return behind + ((word - behind / 8) & CLAIM_POSITION_MASK) * 8;
}

/* The full sequence, given one that is less than 2^26 behind it. */
static inline uint64_t claim_sequence(uint64_t word, uint64_t behind) {
    return behind + (((word >> CLAIM_POSITION_BITS) - behind) & CLAIM_SEQUENCE_MASK);
}

/* Claims bytes for one record. 0, -EAGAIN (no space), -EIO (failed), -ESHUTDOWN (closed). */
int claim_record(struct ring *ring, uint64_t bytes, struct claim *claim);

/* What a record's header says beside sequence, length and time. */
struct claim_label {
    uint16_t stream;
    uint8_t flags; /* enum record_flags */
};

/* Fills the claimed record (and its pad) and publishes it. */
void claim_publish(struct ring *ring, const struct claim *claim, const void *data, uint32_t length,
                   int64_t event_time_ns, struct claim_label label);

#endif

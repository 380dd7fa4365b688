/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The claim word: position and sequence of the next record in 64 bits, so that one compare-and-swap takes both.
 *
 *      63     62     61              37 36                      1  0
 *     +------+------+-------------------+------------------------+---+
 *     |CLOSED|FAILED| sequence mod 2^25 | (position / 8) mod 2^36|LED|
 *     +------+------+-------------------+------------------------+---+
 *
 * The missing high bits follow from values that lag by less than the modulus: the claimed position is within one
 * capacity (<= 2^38) of `released`, and fewer than 2^24 records are claimed and not durable. LED: a thread leads a
 * commit. Claims leave it as it is.
 */
#ifndef BURST_RING_CLAIM_WORD_H
#define BURST_RING_CLAIM_WORD_H

#include <stdint.h>

#define CLAIM_POSITION_BITS 36u
#define CLAIM_POSITION_MASK ((1ull << CLAIM_POSITION_BITS) - 1)
#define CLAIM_SEQUENCE_BITS 25u
#define CLAIM_SEQUENCE_MASK ((1ull << CLAIM_SEQUENCE_BITS) - 1)
#define CLAIM_SEQUENCE_SHIFT (CLAIM_POSITION_BITS + 1)
#define CLAIM_LED 1ull
#define CLAIM_FAILED (1ull << 62)
#define CLAIM_CLOSED (1ull << 63)
#define CLAIM_SEQUENCES_IN_FLIGHT (1ull << (CLAIM_SEQUENCE_BITS - 1))

static inline uint64_t claim_pack(uint64_t position, uint64_t sequence, uint64_t flags) {
    return flags | (sequence & CLAIM_SEQUENCE_MASK) << CLAIM_SEQUENCE_SHIFT | (position / 8 & CLAIM_POSITION_MASK) << 1;
}

/* One more record of these bytes adds this to a word whose position and sequence do not wrap. */
static inline uint64_t claim_advance(uint64_t bytes) {
    return (1ull << CLAIM_SEQUENCE_SHIFT) + bytes / 8 * 2;
}

/* How far the position is ahead of `behind`, a full position at most 2^39 - 8 bytes before it. */
static inline uint64_t claim_ahead(uint64_t word, uint64_t behind) {
    return (word * 4 - behind) & CLAIM_POSITION_MASK * 8;
}

/* How far the sequence is ahead of `behind`, a full sequence less than 2^25 before it. */
static inline uint64_t claim_in_flight(uint64_t word, uint64_t behind) {
    return ((word >> CLAIM_SEQUENCE_SHIFT) - behind) & CLAIM_SEQUENCE_MASK;
}

/* The full position. */
static inline uint64_t claim_position(uint64_t word, uint64_t behind) {
    return behind + claim_ahead(word, behind);
}

/* The full sequence. */
static inline uint64_t claim_sequence(uint64_t word, uint64_t behind) {
    return behind + claim_in_flight(word, behind);
}

#endif

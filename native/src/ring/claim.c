/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/claim.h"

#include <errno.h>
#include <string.h>

#define WORD_POSITIONS (8ull << CLAIM_POSITION_BITS) /* the word's position wraps at each multiple of this */

/* position % capacity for the first record of a lap. Notes the lap, unless the word wraps in it or at its end. */
static uint64_t begin_lap(struct ring *ring, uint64_t position) {
    const uint64_t capacity = ring->geometry.capacity_bytes;
    const uint64_t offset = position % capacity, begin = position - offset;
    if (begin / WORD_POSITIONS == (begin + capacity) / WORD_POSITIONS) {
        atomic_store_explicit(&ring->lap_begin, begin, memory_order_relaxed);
    }
    return offset;
}

/* position % capacity, but only the first record of a lap pays for a division. */
static uint64_t offset_of(struct ring *ring, uint64_t position) {
    const uint64_t offset = position - atomic_load_explicit(&ring->lap_begin, memory_order_relaxed);
    return offset < ring->geometry.capacity_bytes ? offset : begin_lap(ring, position);
}

enum claim_result {
    CLAIM_TAKEN,
    CLAIM_REFUSED,  /* the ring is closed, or has failed */
    CLAIM_NO_SPACE, /* or the word is so old that `released` or `durable` has overtaken it */
    CLAIM_LOST,     /* another thread was faster, or the exchange failed for no reason */
};

/* One attempt to claim. *word and *released: what it found. claim_usual says why the loads have this order. */
static enum claim_result attempt(struct ring *ring, uint64_t bytes, struct claim *claim, uint64_t *word,
                                 uint64_t *released) {
    const uint64_t capacity = ring->geometry.capacity_bytes;
    const uint64_t in_block = ring->geometry.block_bytes - 1; /* blocks are powers of two */
    const uint64_t most_bytes = capacity - RING_MARKER_BLOCKS * (in_block + 1);
    *word = atomic_load_explicit(&ring->claim, memory_order_acquire);
    if ((*word & (CLAIM_CLOSED | CLAIM_FAILED)) != 0) {
        return CLAIM_REFUSED;
    }
    *released = atomic_load_explicit(&ring->released, memory_order_acquire);
    const uint64_t durable = atomic_load_explicit(&ring->durable_next_sequence, memory_order_acquire);
    claim->sequence = claim_sequence(*word, durable);
    claim->position = claim_position(*word, *released);
    claim->pad_position = CLAIM_NO_PAD;
    uint64_t offset = offset_of(ring, claim->position);
    const uint64_t left = capacity - offset;
    if (left < bytes) {
        /* A rest of the lap that is shorter than a header holds no pad: readers skip it, as record_start does. */
        claim->pad_position = left < RECORD_HEADER_BYTES ? CLAIM_NO_PAD : claim->position;
        claim->position += left;
        offset = 0;
    }
    claim->header = (struct record_header *)(ring->image + offset);
    const uint64_t end = claim->position + bytes;
    /* The bound is a number of whole blocks: the block in which the record ends is below it, too. */
    if (end > (*released & ~in_block) + most_bytes || claim->sequence - durable >= CLAIM_SEQUENCES_IN_FLIGHT) {
        return CLAIM_NO_SPACE;
    }
    uint64_t seen = *word;
    const uint64_t next = claim_pack(end, (seen >> CLAIM_SEQUENCE_SHIFT) + 1, seen & CLAIM_LED);
    return atomic_compare_exchange_weak_explicit(&ring->claim, &seen, next, memory_order_seq_cst, memory_order_acquire)
               ? CLAIM_TAKEN
               : CLAIM_LOST;
}

int claim_record(struct ring *ring, uint64_t bytes, struct claim *claim) {
    for (;;) {
        uint64_t word, released;
        switch (attempt(ring, bytes, claim, &word, &released)) {
        case CLAIM_TAKEN:
            return 0;
        case CLAIM_REFUSED:
            return word & CLAIM_FAILED ? -EIO : -ESHUTDOWN;
        case CLAIM_NO_SPACE:
            /* A word that is still there was not too old. */
            if (atomic_load_explicit(&ring->claim, memory_order_acquire) == word && !ring_grant(ring, released)) {
                return -EAGAIN;
            }
            break;
        case CLAIM_LOST:
            break;
        }
    }
}

void claim_publish_pad(struct ring *ring, uint64_t position, uint64_t sequence) {
    struct record_header *header = (struct record_header *)ring_at(ring, position);
    header->sequence = sequence;
    const uint64_t left = lap_remaining(position, ring->geometry.capacity_bytes);
    record_set_kind(header, (uint32_t)(left - RECORD_HEADER_BYTES), RECORD_PAD, 0, 0);
    header->event_time_ns = 0;
    header->payload_crc = 0;
    claim_publish_release(ring, header, position);
}

void claim_publish_void(struct ring *ring, const struct claim *claim, size_t length, uint16_t stream) {
    struct record_header *header = claim->header;
    if (claim->pad_position != CLAIM_NO_PAD) {
        claim_publish_pad(ring, claim->pad_position, claim->sequence);
    }
    header->sequence = claim->sequence;
    record_set_kind(header, length, RECORD_VOID, 0, stream);
    header->event_time_ns = 0;
    header->payload_crc = crc32c(0, memset(header + 1, 0, length), length);
    claim_publish_release(ring, header, claim->position);
}

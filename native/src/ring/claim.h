/* SPDX-License-Identifier: Apache-2.0 */
/* Claiming a record's place in the ring, and filling it. Any thread may; neither call waits. The usual way is inlined: it
 * is most of what an enqueued record costs. */
#ifndef BURST_RING_CLAIM_H
#define BURST_RING_CLAIM_H

#include "base/cpu.h"
#include "base/crc32c.h"
#include "media/record.h"
#include "ring/claim_word.h"
#include "ring/ring.h"

#define CLAIM_NO_PAD UINT64_MAX
#define CLAIM_FETCH_AHEAD_BYTES 4096u
#define CLAIM_FETCHED_MOST_BYTES 1024u /* the processor prefetches longer records by itself */

struct claim {
    uint64_t position;
    struct record_header *header; /* the record's place in the image */
    uint64_t sequence;
    uint64_t pad_position; /* a pad record that is published before this record, or CLAIM_NO_PAD */
};

/* position % capacity for the first record of a lap. */
uint64_t claim_begin_lap(struct ring *ring, uint64_t position);

/* Publishes a pad from the position to the end of its lap. `sequence` is that of the record behind it. */
void claim_publish_pad(struct ring *ring, uint64_t position, uint64_t sequence);

/* position % capacity, but only the first record of a lap pays for a division. */
static inline uint64_t claim_offset_of(struct ring *ring, uint64_t position) {
    const uint64_t offset = position - atomic_load_explicit(&ring->lap_begin, memory_order_relaxed);
    return __builtin_expect(offset < ring->geometry.capacity_bytes, 1) ? offset : claim_begin_lap(ring, position);
}

/* Claims bytes for one record. Returns 0, -EAGAIN (no space), -EIO (the ring has failed), -ESHUTDOWN (the ring is
 * closed). */
int claim_record(struct ring *ring, uint64_t bytes, struct claim *claim);

enum claim_result {
    CLAIM_TAKEN,
    CLAIM_REFUSED,  /* the ring is closed, or has failed */
    CLAIM_NO_SPACE, /* or the word is so old that `released` or `durable` has overtaken it */
    CLAIM_LOST,     /* another thread was faster, or the exchange failed for no reason */
};

/* One attempt to claim. *word and *released: what it found. It is inlined where it usually succeeds. */
static inline __attribute__((always_inline)) enum claim_result
claim_try(struct ring *ring, uint64_t bytes, struct claim *claim, uint64_t *word, uint64_t *released) {
    const uint64_t capacity = ring->geometry.capacity_bytes;
    const uint64_t in_block = ring->geometry.block_bytes - 1; /* blocks are powers of two */
    const uint64_t most_bytes = capacity - RING_MARKER_BLOCKS * (in_block + 1);
    *word = atomic_load_explicit(&ring->claim, memory_order_acquire);
    if (__builtin_expect((*word & (CLAIM_CLOSED | CLAIM_FAILED)) != 0, 0)) {
        return CLAIM_REFUSED;
    }
    /* Both values are read between the load of the word and the exchange. A successful exchange proves that nothing was
     * claimed in between. So position and sequence are true even if this thread was suspended for long. */
    *released = atomic_load_explicit(&ring->released, memory_order_acquire);
    const uint64_t durable = atomic_load_explicit(&ring->durable_next_sequence, memory_order_acquire);
    claim->sequence = claim_sequence(*word, durable);
    claim->position = claim_position(*word, *released);
    claim->pad_position = CLAIM_NO_PAD;
    uint64_t offset = claim_offset_of(ring, claim->position);
    const uint64_t left = capacity - offset;
    if (__builtin_expect(left < bytes, 0)) {
        /* A rest of the lap that is shorter than a header holds no pad: readers skip it, as record_start does. */
        claim->pad_position = left < RECORD_HEADER_BYTES ? CLAIM_NO_PAD : claim->position;
        claim->position += left;
        offset = 0;
    }
    claim->header = (struct record_header *)(ring->image + offset);
    const uint64_t end = claim->position + bytes;
    /* The bound is a number of whole blocks: the block in which the record ends is below it, too. */
    if (__builtin_expect(
            end > (*released & ~in_block) + most_bytes || claim->sequence - durable >= CLAIM_SEQUENCES_IN_FLIGHT, 0)) {
        return CLAIM_NO_SPACE;
    }
    uint64_t seen = *word;
    const uint64_t next = claim_pack(end, (seen >> CLAIM_POSITION_BITS) + 1, 0);
    return __builtin_expect(atomic_compare_exchange_weak_explicit(&ring->claim, &seen, next, memory_order_seq_cst,
                                                                  memory_order_acquire),
                            1)
               ? CLAIM_TAKEN
               : CLAIM_LOST;
}

static inline void claim_publish_release(struct ring *ring, struct record_header *header, uint64_t position) {
    __atomic_store_n(&header->position, position ^ ring->salt, __ATOMIC_RELEASE);
}

/* Fetches the cache lines that a soon following record fills, since no cache of this core holds them. Otherwise the
 * next claim would wait for these lines: its exchange waits until this record's stores have left the core. */
static inline __attribute__((always_inline)) void claim_fetch_ahead(const struct record_header *header,
                                                                    uint32_t length) {
    const uint64_t bytes = record_bytes(length);
    cpu_fetch((const uint8_t *)header + CLAIM_FETCH_AHEAD_BYTES,
              bytes < CLAIM_FETCHED_MOST_BYTES ? bytes : CLAIM_FETCHED_MOST_BYTES, 1);
}

/* The fields of a record's header besides sequence, length and time. */
struct claim_label {
    uint16_t stream;
    uint8_t flags; /* enum record_flags */
};

/* Fills the claimed record, and its pad if there is one, and publishes them. */
static inline __attribute__((always_inline)) void claim_publish(struct ring *ring, const struct claim *claim,
                                                                const void *data, uint32_t length,
                                                                int64_t event_time_ns, struct claim_label label) {
    if (__builtin_expect(claim->pad_position != CLAIM_NO_PAD, 0)) {
        claim_publish_pad(ring, claim->pad_position, claim->sequence);
    }
    struct record_header *header = claim->header;
    claim_fetch_ahead(header, length);
    header->sequence = claim->sequence;
    record_set_kind(header, length, RECORD_DATA, label.flags, label.stream);
    header->event_time_ns = event_time_ns;
    header->payload_crc = crc32c_copy(header + 1, data, length);
    claim_publish_release(ring, header, claim->position);
}

#endif

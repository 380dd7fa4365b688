/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/claim.h"

#include <errno.h>
#include <string.h>

#include "base/cpu.h"
#include "base/crc32c.h"
#include "ring/claim_word.h"

#define NO_PAD UINT64_MAX
#define FETCH_AHEAD_BYTES 4096u
#define FETCHED_MOST_BYTES 1024u /* the processor prefetches longer records by itself */

/* position % capacity, but only the first record of a lap pays for a division. */
static uint64_t offset_of(struct ring *ring, uint64_t position) {
    const uint64_t capacity = ring->geometry.capacity_bytes;
    const uint64_t offset = position - atomic_load_explicit(&ring->lap_begin, memory_order_relaxed);
    if (offset < capacity) {
        return offset;
    }
    atomic_store_explicit(&ring->lap_begin, position - position % capacity, memory_order_relaxed);
    return position % capacity;
}

int claim_record(struct ring *ring, uint64_t bytes, struct claim *claim) {
    const uint64_t capacity = ring->geometry.capacity_bytes;
    const uint64_t in_block = ring->geometry.block_bytes - 1; /* blocks are powers of two */
    uint64_t word = atomic_load_explicit(&ring->claim, memory_order_acquire);
    for (;;) {
        if (word & (CLAIM_CLOSED | CLAIM_FAILED)) {
            return word & CLAIM_FAILED ? -EIO : -ESHUTDOWN;
        }
        /* Both values are read between the load of the word and the exchange. A successful exchange proves that nothing
         * was claimed in between. So the distances computed here are true even if this thread was suspended for
         * long. */
        const uint64_t released = atomic_load_explicit(&ring->released, memory_order_acquire);
        const uint64_t durable = atomic_load_explicit(&ring->durable_next_sequence, memory_order_acquire);
        uint64_t place = claim_position(word, released);
        uint64_t offset = offset_of(ring, place);
        claim->pad_position = NO_PAD;
        if (capacity - offset < bytes) {
            /* A rest of the lap that is shorter than a header holds no pad: readers skip it, as record_start does. */
            claim->pad_position = capacity - offset < RECORD_HEADER_BYTES ? NO_PAD : place;
            place += capacity - offset;
            offset = 0;
        }
        const uint64_t end = place + bytes;
        const uint64_t end_of_block = (end + in_block) & ~in_block;
        if (end_of_block + RING_MARKER_BLOCKS * (in_block + 1) > (released & ~in_block) + capacity ||
            claim_sequence(word, durable) - durable >= CLAIM_SEQUENCES_IN_FLIGHT) {
            /* Either the ring is full, or the word is so old that `released` or `durable` has overtaken it: a new word
             * tells. */
            const uint64_t seen = word;
            word = atomic_load_explicit(&ring->claim, memory_order_acquire);
            if (word == seen && !ring_grant(ring, released)) {
                return -EAGAIN;
            }
            continue;
        }
        const uint64_t next = claim_pack(end, (word >> CLAIM_POSITION_BITS) + 1, 0);
        if (atomic_compare_exchange_weak_explicit(&ring->claim, &word, next, memory_order_seq_cst,
                                                  memory_order_acquire)) {
            claim->position = place;
            claim->header = (struct record_header *)(ring->image + offset);
            /* This load comes after the exchange: `durable` cannot pass this record before this thread publishes it. */
            claim->sequence =
                claim_sequence(word, atomic_load_explicit(&ring->durable_next_sequence, memory_order_acquire));
            return 0;
        }
    }
}

static void publish_release(struct ring *ring, struct record_header *header, uint64_t position) {
    __atomic_store_n(&header->position, position ^ ring->salt, __ATOMIC_RELEASE);
}

static void publish_pad(struct ring *ring, const struct claim *claim) {
    struct record_header *header = (struct record_header *)ring_at(ring, claim->pad_position);
    header->sequence = claim->sequence;
    header->length =
        (uint32_t)(lap_remaining(claim->pad_position, ring->geometry.capacity_bytes) - RECORD_HEADER_BYTES);
    header->type = RECORD_PAD;
    header->flags = 0;
    header->stream = 0;
    header->event_time_ns = 0;
    header->payload_crc = 0;
    publish_release(ring, header, claim->pad_position);
}

/* Fetches the cache lines that a soon following record fills, since no cache of this core holds them. Otherwise the
 * next claim would wait for these lines: its exchange waits until this record's stores have left the core. */
static inline __attribute__((always_inline)) void fetch_ahead(const struct record_header *header, uint32_t length) {
    const uint64_t bytes = record_bytes(length);
    cpu_fetch((const uint8_t *)header + FETCH_AHEAD_BYTES, bytes < FETCHED_MOST_BYTES ? bytes : FETCHED_MOST_BYTES, 1);
}

void claim_publish(struct ring *ring, const struct claim *claim, const void *data, uint32_t length,
                   int64_t event_time_ns, struct claim_label label) {
    if (claim->pad_position != NO_PAD) {
        publish_pad(ring, claim);
    }
    struct record_header *header = claim->header;
    fetch_ahead(header, length);
    header->sequence = claim->sequence;
    header->length = length;
    header->type = RECORD_DATA;
    header->flags = label.flags;
    header->stream = label.stream;
    header->event_time_ns = event_time_ns;
    header->payload_crc = crc32c_copy(header + 1, data, length);
    publish_release(ring, header, claim->position);
}

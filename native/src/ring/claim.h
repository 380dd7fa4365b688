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

/* Publishes a pad from the position to the end of its lap. `sequence` is that of the record behind it. */
void claim_publish_pad(struct ring *ring, uint64_t position, uint64_t sequence);

/* Claims bytes for one record. Returns 0, -EAGAIN (no space), -EIO (the ring has failed), -ESHUTDOWN (the ring is
 * closed). */
int claim_record(struct ring *ring, uint64_t bytes, struct claim *claim);

/*
 * One attempt to claim in the usual case: the ring is open, the lap has room for the record, and the ring has a block
 * more than it needs. Returns whether it claimed; if not, claim_record finds out why. A record costs one addition to the
 * word, since nothing carries from position to sequence, nor from there to the flags: no lap whose word wraps is in
 * `lap_begin` (claim.c), and the last sequence before its wrap is not claimed here.
 *
 * The three values are read between the load of the word and the exchange. A successful exchange proves that nothing was
 * claimed in between. So position and sequence are true even if this thread was suspended for long. The exchange is
 * seq_cst for the look at the committer's flag that follows (append.c).
 */
static inline __attribute__((always_inline)) int claim_usual(struct ring *ring, uint64_t bytes, struct claim *claim) {
    uint64_t word = atomic_load_explicit(&ring->claim, memory_order_acquire);
    const uint64_t released = atomic_load_explicit(&ring->released, memory_order_acquire);
    const uint64_t durable = atomic_load_explicit(&ring->durable_next_sequence, memory_order_acquire);
    const uint64_t next = word + claim_advance(bytes);
    const uint64_t ahead = claim_ahead(word, released), in_flight = claim_in_flight(word, durable);
    const uint64_t position = released + ahead;
    const uint64_t offset = position - atomic_load_explicit(&ring->lap_begin, memory_order_relaxed);
    if (__builtin_expect(((word | next) & (CLAIM_CLOSED | CLAIM_FAILED)) != 0, 0) ||
        __builtin_expect(offset > ring->geometry.capacity_bytes - bytes, 0) ||
        __builtin_expect(ahead + bytes > ring->usual_space, 0) ||
        __builtin_expect(in_flight >= CLAIM_SEQUENCES_IN_FLIGHT, 0) ||
        __builtin_expect(!atomic_compare_exchange_weak_explicit(&ring->claim, &word, next, memory_order_seq_cst,
                                                                memory_order_relaxed),
                         0)) {
        return 0;
    }
    *claim = (struct claim){.position = position,
                            .header = (struct record_header *)(ring->image + offset),
                            .sequence = durable + in_flight,
                            .pad_position = CLAIM_NO_PAD};
    return 1;
}

/*
 * One attempt of a thread that will wait to claim alone: if nobody leads and all is durable, one exchange claims the
 * record, seals behind it, and makes this thread the leader. Returns whether it did. The caller then publishes, and
 * commits with leader_commit_alone. Where the last leader expects company the thread comes the usual way, so that one
 * write has the records of all.
 *
 * The word without a flag proves that nobody leads, and the pair read behind it that nothing is in flight: so nobody
 * else has a round, neither under way nor unfinished. The position is that of the watermark, where a block or a line
 * begins, and the rest of the record's last block is within the lap and within `usual_space`, as in claim_usual.
 */
static inline __attribute__((always_inline)) int claim_alone(struct ring *ring, uint64_t bytes, struct claim *claim) {
    uint64_t word = atomic_load_explicit(&ring->claim, memory_order_acquire);
    const uint64_t released = atomic_load_explicit(&ring->released, memory_order_acquire);
    const uint64_t position = atomic_load_explicit(&ring->durable_position, memory_order_acquire);
    const uint64_t sequence = atomic_load_explicit(&ring->durable_next_sequence, memory_order_acquire);
    const uint64_t sealed_bytes = (bytes + ring->unit_bytes - 1) & ~(ring->unit_bytes - 1);
    const uint64_t next = word + claim_advance(sealed_bytes);
    const uint64_t offset = position - atomic_load_explicit(&ring->lap_begin, memory_order_relaxed);
    if (word != claim_pack(position, sequence, 0) || (next & CLAIM_FAILED) != 0 ||
        offset > ring->geometry.capacity_bytes - bytes || position - released + bytes > ring->usual_space ||
        sealed_bytes > RING_WRITE_BYTES || atomic_load_explicit(&ring->gathering.expected, memory_order_relaxed) > 1 ||
        !atomic_compare_exchange_weak_explicit(&ring->claim, &word, next | CLAIM_LED, memory_order_seq_cst,
                                               memory_order_relaxed)) {
        return 0;
    }
    *claim = (struct claim){.position = position,
                            .header = (struct record_header *)(ring->image + offset),
                            .sequence = sequence,
                            .pad_position = CLAIM_NO_PAD};
    return 1;
}

/* Publishes a VOID of this length in the place of the claimed record, and its pad if there is one. */
void claim_publish_void(struct ring *ring, const struct claim *claim, size_t length, uint16_t stream);

static inline void claim_publish_release(struct ring *ring, struct record_header *header, uint64_t position) {
    __atomic_store_n(&header->position, position ^ ring->salt, __ATOMIC_RELEASE);
}

/* Fetches the cache lines that a soon following record fills, since no cache of this core holds them. Otherwise the
 * next claim would wait for these lines: its exchange waits until this record's stores have left the core. */
static inline __attribute__((always_inline)) void claim_fetch_ahead(const struct record_header *header, size_t length) {
    const uint8_t *const ahead = (const uint8_t *)header + CLAIM_FETCH_AHEAD_BYTES;
    const uint64_t bytes = record_bytes(length);
    cpu_fetch(ahead, 2 * CPU_LINE_BYTES, 1);
    if (bytes > 2 * CPU_LINE_BYTES) {
        const uint64_t most = bytes < CLAIM_FETCHED_MOST_BYTES ? bytes : CLAIM_FETCHED_MOST_BYTES;
        cpu_fetch(ahead + 2 * CPU_LINE_BYTES, most - 2 * CPU_LINE_BYTES, 1);
    }
}

/* The fields of a record's header besides sequence, length and time. */
struct claim_label {
    uint16_t stream;
    uint8_t flags; /* enum record_flags */
};

/* Fills the claimed record, and its pad if there is one, and publishes them. Inlined where the compiler knows that there
 * is none. */
static inline __attribute__((always_inline)) void claim_publish(struct ring *ring, const struct claim *claim,
                                                                const void *data, size_t length, int64_t event_time_ns,
                                                                struct claim_label label) {
    if (claim->pad_position != CLAIM_NO_PAD) {
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/commit.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/cpu.h"
#include "base/error.h"
#include "media/durable_stamp.h"
#include "media/record.h"
#include "ring/claim_word.h"

#define STRAGGLER_SPINS 2000

/* position % capacity. A commit asks ten times, and a division is slow right after a system call. */
static uint64_t offset_of(struct ring *ring, uint64_t position) {
    const uint64_t capacity = ring->geometry.capacity_bytes;
    if (position - ring->commit_lap >= capacity) {
        ring->commit_lap = position - position % capacity;
    }
    return position - ring->commit_lap;
}

static void *image_at(struct ring *ring, uint64_t position) {
    return ring->image + offset_of(ring, position);
}

static uint64_t left_of_lap(struct ring *ring, uint64_t position) {
    return ring->geometry.capacity_bytes - offset_of(ring, position);
}

/* Skips a rest of the lap that is too short for a header: see record_start. */
static uint64_t start_at(struct ring *ring, uint64_t position) {
    const uint64_t left = left_of_lap(ring, position);
    return left < RECORD_HEADER_BYTES ? position + left : position;
}

static inline struct durable_stamp stamp_before(const struct ring *ring, uint64_t position, uint64_t next_sequence) {
    return (struct durable_stamp){
        .position = position,
        .next_sequence = next_sequence,
        .durable_ns = atomic_load_explicit(&ring->durable_ns, memory_order_relaxed),
        .epoch = ring->epoch,
    };
}

/* Ends the round at what is claimed now. Later records begin at the next block or line. */
static void seal(struct ring *ring, struct ring_round *round) {
    const uint64_t begin = atomic_load_explicit(&ring->durable_position, memory_order_relaxed);
    const uint64_t durable = atomic_load_explicit(&ring->durable_next_sequence, memory_order_relaxed);
    const uint64_t unit = ring->unit_bytes;
    uint64_t word = atomic_load_explicit(&ring->claim, memory_order_acquire);
    for (;;) {
        round->records_end = claim_position(word, begin);
        round->end = (round->records_end + unit - 1) & ~(unit - 1); /* blocks and lines are powers of two */
        round->next_sequence = claim_sequence(word, durable);
        const uint64_t flags = word & (CLAIM_LED | CLAIM_CLOSED | CLAIM_FAILED);
        const uint64_t aligned = claim_pack(round->end, round->next_sequence, flags);
        if (aligned == word || atomic_compare_exchange_weak_explicit(&ring->claim, &word, aligned, memory_order_acq_rel,
                                                                     memory_order_acquire)) {
            break;
        }
    }
    round->from = begin;
    round->before = stamp_before(ring, begin, durable);
    round->sealed = round->whole = begin;
    round->sealed_sequence = round->whole_sequence = durable;
}

/* Continues the round that the last leader left unfinished: its seal stands, and some of its headers are finished.
 * Otherwise seals what is claimed now. */
static void begin(struct ring *ring, struct ring_round *round) {
    if (ring->unfinished.end != 0) {
        *round = ring->unfinished;
        ring->unfinished.end = 0;
    } else {
        seal(ring, round);
    }
    atomic_store_explicit(&ring->leader, LEADER_SEALED + round->next_sequence, memory_order_release);
}

static int is_published(const struct ring *ring, const struct record_header *header, uint64_t position) {
    return __atomic_load_n(&header->position, __ATOMIC_ACQUIRE) == (position ^ ring->salt);
}

void commit_fail_stuck(struct ring *ring, uint64_t sequence) {
    ring_fail(ring,
              "record %llu of ring %s was begun by a thread of this process that did not copy it within %lld s: "
              "the memory that it copies from did not answer (swap, a mapped file), or the thread was stopped",
              (unsigned long long)sequence, ring->path, RING_STRAGGLER_NS / 1000000000ll);
}

/* Waits until the producer has published the record. Returns 0, -ETIMEDOUT (the limit is over) or -EIO (the ring has
 * failed). The ring fails after leaders have slept RING_STRAGGLER_NS for this record. The sum of sleeps counts, not the
 * clock: a suspended machine or a stopped process is no stuck producer. */
static int await_publication(struct ring *ring, const struct record_header *header, uint64_t position,
                             uint64_t sequence, struct limit *limit) {
    for (int spin = 0; spin < STRAGGLER_SPINS; spin++) {
        if (is_published(ring, header, position)) {
            return 0;
        }
        cpu_pause();
    }
    struct straggler *straggler = &ring->straggler;
    if (straggler->position != position) {
        *straggler = (struct straggler){.position = position};
    }
    for (int64_t pause_ns = 1000; straggler->slept_ns < RING_STRAGGLER_NS && device_lost_pages(ring->device) == 0;
         pause_ns += pause_ns < 1000000 ? pause_ns / 4 : 0) {
        if (is_published(ring, header, position)) {
            return 0;
        }
        const int64_t left_ns = limit_left_ns(limit, ring->platform);
        if (left_ns == 0) {
            return -ETIMEDOUT;
        }
        const int64_t nap_ns = limit_pause_ns(left_ns, pause_ns);
        ring->platform->ops->sleep_ns(ring->platform, nap_ns);
        straggler->slept_ns += nap_ns;
    }
    if (device_lost_pages(ring->device) > 0) {
        ring_fail(ring, "pages of ring %s were lost under its records: look at the host's messages about its medium",
                  ring->path);
        return -EIO;
    }
    commit_fail_stuck(ring, sequence);
    return -EIO;
}

_Static_assert((RING_WRITES_UNDER_WAY + 1) * RING_WRITE_BYTES / RECORD_HEADER_BYTES / STAGES_ENQUEUED * 3 / 2 <=
                   STAGES_LAGGING,
               "no timed record is forgotten while the writes before it are under way");

/* Finishes the headers of all records that begin below `until`. Notes which of the records are durable once everything
 * below `until` is written. */
static int seal_records(struct ring *ring, struct ring_round *round, uint64_t until, struct limit *limit) {
    const struct ring_geometry *geometry = &ring->geometry;
    while (round->sealed < until && round->sealed < round->records_end) {
        const uint64_t position = start_at(ring, round->sealed);
        round->whole = position; /* all records before this one end in this piece, or in an earlier one */
        round->whole_sequence = round->sealed_sequence;
        struct record_header *header = image_at(ring, position);
        const int rc = is_published(ring, header, position)
                           ? 0
                           : await_publication(ring, header, position, round->sealed_sequence, limit);
        if (rc < 0) {
            return rc;
        }
        const uint64_t next = position + record_bytes(header->length);
        if (header->flags & RECORD_ENQUEUED) {
            stages_sealed(ring->stages, round->sealed_sequence, (int64_t)header->durable_position);
        }
        struct record_seal stamp = {
            .position = position,
            .durable_position = atomic_load_explicit(&ring->durable_position, memory_order_relaxed),
            .durable_next_sequence = atomic_load_explicit(&ring->durable_next_sequence, memory_order_relaxed),
            .epoch = ring->epoch,
            .last = next == round->records_end,
        };
        record_seal(header, &stamp, geometry->crc_seed);
        round->sealed = next;
        round->sealed_sequence += header->type != RECORD_PAD;
    }
    /* A record that ends behind `until` is made whole only by a later piece. */
    if (round->sealed <= until) {
        round->whole = until == round->end ? until : start_at(ring, round->sealed);
        round->whole_sequence = round->sealed_sequence;
    }
    return 0;
}

/* Only the leader writes these four, so plain stores are enough. A reader that comes in between sees an odd version,
 * or a changed version when it looks again. */
static inline __attribute__((always_inline)) void advance(struct ring *ring, uint64_t position,
                                                          uint64_t next_sequence) {
    /* Beside a commit to mapped memory a look at the clock would cost too much. */
    const int64_t now_ns = ring->device->mapping == NULL ? platform_realtime_ns(ring->platform) : 0;
    const uint32_t version = atomic_load_explicit(&ring->durable_version, memory_order_relaxed);
    atomic_store_explicit(&ring->durable_version, version + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ring->durable_position, position, memory_order_release);
    atomic_store_explicit(&ring->durable_next_sequence, next_sequence, memory_order_release);
    atomic_store_explicit(&ring->durable_ns, now_ns, memory_order_relaxed);
    atomic_store_explicit(&ring->durable_version, version + 2, memory_order_release);
    if (ring->window != NULL) {
        window_put_watermark(ring->window, version + 2, position, next_sequence);
    }
}

/* Adds to a counter that only the leader writes. Returns its value before. */
static uint64_t count(_Atomic uint64_t *counter, uint64_t more) {
    const uint64_t before = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, before + more, memory_order_relaxed);
    return before;
}

/* Where the piece ends that begins at `from`. The leader writes a piece with one write: whole blocks or lines, within
 * one lap, at most RING_WRITE_BYTES. */
static uint64_t piece_end(struct ring *ring, const struct ring_round *round, uint64_t from) {
    uint64_t end = from + RING_WRITE_BYTES;
    const uint64_t lap_end = from + left_of_lap(ring, from);
    end = end < lap_end ? end : lap_end;
    return end < round->end ? end : round->end;
}

/* The memory that a piece is written from. In the image, the rest of the last block holds bytes of a lap ago that no
 * cache has, and the write would wait for them. So a commit of one block is copied to `stage`, which stays in the
 * cache. No reader takes the bytes behind the records for a record: the stamp of the commit before stands there, in the
 * image, too, where the readers of a window and the drain look. */
static const void *source_of(struct ring *ring, struct ring_round *round, uint64_t from, uint64_t to) {
    uint8_t *const records = image_at(ring, from);
    const uint64_t used = round->records_end - from;
    uint8_t *const source = used <= ring->staged_bytes ? memcpy(ring->stage, records, used) : records;
    struct durable_stamp *const stamp = &round->before;
    if (to == round->end && stamp->durable_ns != 0 && to - round->records_end >= sizeof *stamp) {
        durable_stamp_seal(stamp, ring->geometry.crc_seed);
        memcpy(source + used, stamp, sizeof *stamp);
        if (source != records) {
            memcpy(records + used, stamp, sizeof *stamp);
        }
    }
    return source;
}

/* The copy may take the records while their write is under way. */
static __attribute__((noinline)) void hand_to_copy(struct ring *ring, uint64_t position) {
    atomic_store_explicit(&ring->copy.sealed, position, memory_order_release);
    event_count_notify(&ring->copy.more, ring->platform);
}

static inline __attribute__((always_inline)) void submit(struct ring *ring, struct ring_round *round,
                                                         struct ring_write *write, uint64_t from, uint64_t to) {
    write->done = 0;
    write->write.offset = ring->geometry.data_offset + offset_of(ring, from);
    write->write.data = source_of(ring, round, from, to);
    write->write.bytes = to - from;
    const uint64_t number = count(&ring->device_writes, 1);
    count(&ring->device_bytes, to - from);
    write->submitted_ns = stages_submitted(ring->stages, number);
    if (ring->copy.is_kept) {
        hand_to_copy(ring, round->whole);
    }
    ring->device->ops->submit(ring->device, &write->write);
}

/* Takes one completion. Fails the ring if the write failed. */
static inline __attribute__((always_inline)) struct ring_write *take_completion(struct ring *ring) {
    struct device_write *completed = ring->device->ops->complete(ring->device);
    struct ring_write *write = (struct ring_write *)((char *)completed - offsetof(struct ring_write, write));
    stages_written(ring->stages, write->submitted_ns);
    if (completed->result < 0) {
        ring_fail(ring, "writing %zu bytes at offset %llu of ring %s failed: %s", completed->bytes,
                  (unsigned long long)completed->offset, ring->path, device_failure(completed->result));
    }
    return write;
}

/* Advances the watermark over a write that is complete, as all before it are. */
static inline __attribute__((always_inline)) void advance_over(struct ring *ring, uint64_t position,
                                                               uint64_t next_sequence) {
    stages_committed(ring->stages, atomic_load_explicit(&ring->durable_position, memory_order_relaxed));
    advance(ring, position, next_sequence);
    stages_durable(ring->stages, next_sequence);
}

static int has_failed(const struct ring *ring) {
    return atomic_load_explicit(&ring->failed, memory_order_relaxed) != 0;
}

/* The leader's look behind the store of its seal, before it touches the device. ring_quiesce relies on it: a close does
 * not wait for a leader that seals on a failed ring. ring_fail fences all threads. */
static inline __attribute__((always_inline)) int has_failed_behind_seal(const struct ring *ring) {
    atomic_signal_fence(memory_order_seq_cst);
    return has_failed(ring);
}

/* Takes one completion. Advances the watermark over all leading writes that are complete. */
static void collect(struct ring *ring, uint64_t *oldest, uint64_t newest) {
    take_completion(ring)->done = 1;
    while (*oldest < newest && ring->writes[*oldest % RING_WRITES_UNDER_WAY].done && !has_failed(ring)) {
        const struct ring_write *const write = &ring->writes[*oldest % RING_WRITES_UNDER_WAY];
        advance_over(ring, write->durable_position, write->next_sequence);
        ++*oldest;
    }
}

/* Writes a round that is one piece, and sealed: nothing else is under way, neither before nor after. */
static inline __attribute__((always_inline)) void write_sealed(struct ring *ring, struct ring_round *round) {
    if (has_failed_behind_seal(ring)) {
        return;
    }
    submit(ring, round, &ring->writes[0], round->from, round->end);
    take_completion(ring);
    if (!has_failed(ring)) {
        advance_over(ring, round->whole, round->whole_sequence);
    }
}

static inline __attribute__((always_inline)) int write_piece(struct ring *ring, struct ring_round *round,
                                                             struct limit *limit) {
    const int rc = seal_records(ring, round, round->end, limit);
    if (rc == 0) {
        write_sealed(ring, round);
    }
    return rc;
}

/* Writes a round of several pieces, as many at a time as the device takes. */
static __attribute__((noinline)) int write_pieces(struct ring *ring, struct ring_round *round, struct limit *limit) {
    int rc = 0;
    const uint64_t depth = ring->device->write_depth < (int)RING_WRITES_UNDER_WAY ? (uint64_t)ring->device->write_depth
                                                                                  : RING_WRITES_UNDER_WAY;
    uint64_t oldest = 0, newest = 0, under_way = 0;
    for (;;) {
        const int goes_on = rc == 0 && round->from < round->end && !has_failed(ring);
        if (!goes_on || under_way >= depth || newest - oldest >= RING_WRITES_UNDER_WAY) {
            if (under_way == 0) {
                return rc;
            }
            collect(ring, &oldest, newest);
            under_way--;
            continue;
        }
        const uint64_t from = round->from, to = piece_end(ring, round, from);
        struct ring_write *write = &ring->writes[newest % RING_WRITES_UNDER_WAY];
        rc = seal_records(ring, round, to, limit);
        if (rc == 0) {
            write->durable_position = round->whole;
            write->next_sequence = round->whole_sequence;
            submit(ring, round, write, from, to);
            newest++;
            under_way++;
            round->from = to;
        }
    }
}

void commit_round(struct ring *ring, struct limit *limit) {
    struct ring_round round;
    begin(ring, &round);
    if (round.from == round.end || has_failed_behind_seal(ring)) {
        return;
    }
    const int is_one_piece = piece_end(ring, &round, round.from) == round.end;
    const int rc = is_one_piece ? write_piece(ring, &round, limit) : write_pieces(ring, &round, limit);
    if (rc == -ETIMEDOUT) {
        ring->unfinished = round;
    } else {
        count(&ring->commits, 1);
    }
}

void commit_alone(struct ring *ring, const struct claim *claim, uint64_t bytes) {
    const uint64_t position = claim->position,
                   end = (position + bytes + ring->unit_bytes - 1) & ~(ring->unit_bytes - 1);
    const struct record_seal stamp = {.position = position,
                                      .durable_position = position,
                                      .durable_next_sequence = claim->sequence,
                                      .epoch = ring->epoch,
                                      .last = 1};
    record_seal(claim->header, &stamp, ring->geometry.crc_seed);
    /* Not before the copy: those who sleep for a sealed commit rely on its end. */
    atomic_store_explicit(&ring->leader, LEADER_SEALED + claim->sequence + 1, memory_order_release);
    struct ring_round round = {.from = position,
                               .records_end = position + bytes,
                               .end = end,
                               .whole = end,
                               .whole_sequence = claim->sequence + 1,
                               .before = stamp_before(ring, position, claim->sequence)};
    write_sealed(ring, &round);
    count(&ring->commits, 1);
}

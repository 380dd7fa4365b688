/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/ring.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/spin.h"
#include "ring/claim.h"
#include "ring/commit.h"
#include "ring/full.h"

int ring_create(const struct platform *platform, struct device *device, struct events *events,
                const struct ring_geometry *geometry, const struct ring_limits *limits, struct ring **ring_out) {
    struct ring *ring = platform_allocate(platform, sizeof *ring, PLATFORM_PLAIN);
    if (ring == NULL) {
        return error_set(ENOMEM, "no memory for the ring %s: %zu bytes", device->path, sizeof *ring);
    }
    ring->platform = platform;
    ring->device = device;
    ring->events = events;
    snprintf(ring->path, sizeof ring->path, "%s", device->path);
    ring->geometry = *geometry;
    ring->limits = *limits;
    ring->alive = platform_allocate(platform, sizeof *ring->alive, PLATFORM_WIPED_IN_CHILD);
    ring->image = ring->alive == NULL ? NULL : device->ops->image(device, geometry->capacity_bytes);
    if (ring->image == NULL) {
        ring_destroy(ring);
        return error_set(ENOMEM, "no memory for the image of ring %s: %llu bytes; use a smaller ring", device->path,
                         (unsigned long long)geometry->capacity_bytes);
    }
    atomic_store(ring->alive, 1);
    /* Until ring_begin nothing may be claimed. */
    atomic_store(&ring->claim, CLAIM_CLOSED);
    *ring_out = ring;
    return 0;
}

void ring_begin(struct ring *ring, const struct ring_start *start) {
    ring->salt = ring->platform->ops->random(ring->platform);
    ring->epoch = start->epoch;
    ring->begin_position = start->position;
    atomic_store(&ring->durable_position, start->position);
    atomic_store(&ring->durable_next_sequence, start->next_sequence);
    atomic_store(&ring->released, start->released);
    atomic_store(&ring->drain_looked, start->position);
    atomic_store(&ring->claim, claim_pack(start->position, start->next_sequence, 0));
}

void ring_destroy(struct ring *ring) {
    if (ring->alive != NULL) {
        platform_release(ring->platform, ring->alive, sizeof *ring->alive);
    }
    platform_release(ring->platform, ring, sizeof *ring);
}

uint64_t ring_next_sequence(const struct ring *ring) {
    for (;;) {
        /* `durable` first: read later it might have passed the sequence in an old word. */
        const uint64_t durable = atomic_load_explicit(&ring->durable_next_sequence, memory_order_acquire);
        const uint64_t word = atomic_load_explicit(&ring->claim, memory_order_acquire);
        /* Once more, for a thread that rested between the two while the sequence went round. */
        if (atomic_load_explicit(&ring->durable_next_sequence, memory_order_acquire) - durable <
            CLAIM_SEQUENCES_IN_FLIGHT) {
            return claim_sequence(word, durable);
        }
    }
}

uint64_t ring_claimed(const struct ring *ring) {
    const uint64_t durable = atomic_load_explicit(&ring->durable_position, memory_order_acquire);
    return claim_position(atomic_load_explicit(&ring->claim, memory_order_acquire), durable);
}

void ring_durable(const struct ring *ring, uint64_t *position, uint64_t *next_sequence) {
    for (;;) {
        const uint32_t version = atomic_load_explicit(&ring->durable_version, memory_order_acquire);
        *position = atomic_load_explicit(&ring->durable_position, memory_order_acquire);
        *next_sequence = atomic_load_explicit(&ring->durable_next_sequence, memory_order_acquire);
        if ((version & 1) == 0 && atomic_load_explicit(&ring->durable_version, memory_order_acquire) == version) {
            return;
        }
    }
}

void ring_release(struct ring *ring, uint64_t position) {
    atomic_store_explicit(&ring->released, position, memory_order_release);
    event_count_notify(&ring->space, ring->platform);
}

void ring_refuse(struct ring *ring) {
    atomic_fetch_or(&ring->claim, CLAIM_CLOSED);
    event_count_notify(&ring->space, ring->platform);
}

/*
 * Records that were accepted, that nobody waits for, and that are not durable. *hidden: those behind a record that was
 * never published, as where one ends is not known then; some may have been waited for, and their appends say so.
 */
static uint64_t count_lost_enqueued(const struct ring *ring, uint64_t *hidden) {
    uint64_t position, sequence, lost = 0;
    ring_durable(ring, &position, &sequence);
    const uint64_t end = ring_claimed(ring);
    const uint64_t next_sequence = ring_next_sequence(ring);
    const uint64_t leader = atomic_load(&ring->leader);
    const struct walk_shape shape = ring_shape(ring);
    struct walk walk = walk_from(&shape, position, sequence, ring->epoch);
    while (walk.position < end) {
        const struct record_header *header = (const struct record_header *)ring_at(ring, walk.position);
        const uint64_t word = __atomic_load_n(&header->position, __ATOMIC_ACQUIRE);
        /* What an earlier epoch left there may say `position` too, but the leader has not sealed that. */
        const int is_sealed =
            word == walk.position && leader >= LEADER_SEALED && walk.sequence < leader - LEADER_SEALED;
        if (!is_sealed && word != (walk.position ^ ring->salt)) {
            break;
        }
        const struct record_header seen = {.sequence = walk.sequence,
                                           .length = header->length,
                                           .type = header->type,
                                           .flags = __atomic_load_n(&header->flags, __ATOMIC_RELAXED)};
        lost += seen.type == RECORD_DATA && (seen.flags & RECORD_ENQUEUED) != 0;
        walk_over_record(&walk, &shape, &seen);
    }
    *hidden = next_sequence - walk.sequence;
    return lost;
}

void ring_fail(struct ring *ring, const char *format, ...) {
    uint32_t expected = 0;
    if (!atomic_compare_exchange_strong(&ring->failed, &expected, RING_FAILING)) {
        return;
    }
    atomic_fetch_or(&ring->claim, CLAIM_FAILED);
    ring->platform->ops->fence_all(ring->platform); /* whoever has enqueued and did not see the failure is seen below */
    uint64_t hidden;
    const uint64_t lost = count_lost_enqueued(ring, &hidden);
    atomic_store(&ring->lost_enqueued, lost + hidden);
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(ring->failure, sizeof ring->failure, format, arguments);
    va_end(arguments);
    if (lost + hidden > 0 && used >= 0 && used < (int)sizeof ring->failure) {
        snprintf(ring->failure + used, sizeof ring->failure - (size_t)used, " (%s%llu enqueued records are lost)",
                 hidden > 0 ? "up to " : "", (unsigned long long)(lost + hidden));
    }
    atomic_store(&ring->failed, RING_FAILED);
    events_post(ring->events, EVENT_ERROR,
                "%s; every append fails until the log is closed and opened again: mend the "
                "cause, then restart the process",
                ring->failure);
    /* Those asleep in the groups are woken at the end of the round, by the leader that failed the ring. */
    event_count_notify(&ring->ended, ring->platform);
    event_count_notify(&ring->space, ring->platform);
    event_count_notify(&ring->committer, ring->platform);
}

static void await_reason(const struct ring *ring, struct limit *limit) {
    for (int look = 0; !ring_has_failed(ring); look++) {
        if (look >= SPIN_LOOKS && limit_left_ns(limit, ring->platform) == 0) {
            return;
        }
        spin_or_sleep(ring->platform, look);
    }
}

static int fail_append(const struct ring *ring, int rc, size_t length, const struct ring_rule *rule,
                       struct limit limit) {
    const uint64_t bytes = record_bytes(length);
    switch (-rc) {
    case EIO:
        await_reason(ring, &limit);
        return error_set(EIO, "ring %s has failed: %s; nothing is appended until it is opened again", ring->path,
                         ring_has_failed(ring) ? ring->failure : "why, burst_failure() tells in a moment");
    case ESHUTDOWN:
        return error_set(ESHUTDOWN, "the log on ring %s is closed", ring->path);
    case ETIMEDOUT:
        return error_set(
            ETIMEDOUT,
            "ring %s had no space for %llu bytes within blockTimeout, %s, and nothing was written: its "
            "records do not get to the log file as fast as they come; make room there, or find out what slows "
            "its disk",
            ring->path, (unsigned long long)bytes, error_time(rule->timeout_ns));
    default:
        return error_set(EAGAIN,
                         "ring %s is full, and %llu bytes were not written: its records do not get to the log file as "
                         "fast as they come; make room there, or find out what slows its disk",
                         ring->path, (unsigned long long)bytes);
    }
}

#define TOUCH_BYTES 4096u

static __attribute__((noinline)) void touch_pages(const volatile uint8_t *data, size_t length) {
    for (size_t at = 0; at < length; at += TOUCH_BYTES) {
        (void)data[at];
    }
    (void)data[length - 1];
}

/* What must be fetched first (from swap, from a mapped file) is fetched here: from its claim on everybody waits for this
 * thread. */
static inline void touch(const volatile uint8_t *data, size_t length) {
    const size_t last = length - 1; /* of no bytes: SIZE_MAX */
    if (__builtin_expect(last < TOUCH_BYTES, 1)) {
        (void)data[0];
        (void)data[last];
    } else if (length > 0) {
        touch_pages(data, length);
    }
}

/* Claims, waiting until there is space. */
static int claim_patiently(struct ring *ring, const void *data, size_t length, struct limit *limit,
                           struct claim *claim) {
    const struct platform *platform = ring->platform;
    const int64_t begin_ns = platform_monotonic_ns(platform);
    full_begins(ring, begin_ns);
    for (;;) {
        const uint32_t ticket = event_count_register(&ring->space);
        const int64_t left_ns = limit_left_ns(limit, platform);
        touch(data, length); /* the wait may have been long */
        const int rc = claim_record(ring, record_bytes(length), claim);
        const int64_t now_ns = platform_monotonic_ns(platform);
        if (rc != -EAGAIN || left_ns == 0) {
            event_count_leave(&ring->space);
            return rc == -EAGAIN ? -ETIMEDOUT : rc;
        }
        int64_t pause_ns = full_lasts(ring, now_ns - begin_ns, now_ns);
        if (left_ns > 0 && left_ns < pause_ns) {
            pause_ns = left_ns;
        }
        event_count_notify(&ring->drain, platform);
        event_count_wait(&ring->space, platform, ticket, pause_ns);
    }
}

/*
 * Only the first record after the committer looked has to wake it. The committer clears the flag, then reads the claim;
 * who enqueues claims, then reads the flag: one of them sees the other. Claiming and clearing are exchanges and stores of
 * one order (seq_cst), so no fence is needed between them. That the record is published only later is no matter: the
 * leader waits for it.
 */
static uint32_t is_committer_told(const struct ring *ring) {
    return atomic_load(&ring->enqueued);
}

static void wake_committer(struct ring *ring) {
    atomic_store(&ring->enqueued, 1);
    event_count_notify(&ring->committer, ring->platform);
}

static struct limit limit_left(const struct ring_rule *rule, const struct limit *waited) {
    return waited != NULL ? *waited : limit_of(rule->timeout_ns);
}

/* The calls are the same but for this, and have it compiled into them. */
enum call {
    CALL_APPEND,
    CALL_ENQUEUE,
};

/* Copies what is claimed, and waits for it unless it is enqueued only. `waited`: NULL if the call has not waited yet. */
static inline __attribute__((always_inline)) int64_t put(struct ring *ring, const struct claim *claim, const void *data,
                                                         size_t length, int64_t event_time_ns, uint16_t stream,
                                                         const struct ring_rule *rule, enum call call,
                                                         const struct limit *waited) {
    const int enqueued = call == CALL_ENQUEUE;
    const uint32_t is_told = enqueued ? is_committer_told(ring) : 1;
    const int64_t claimed_ns = stages_claimed(ring->stages, claim->sequence, enqueued);
    claim_publish(ring, claim, data, (uint32_t)length, event_time_ns,
                  (struct claim_label){.stream = stream, .flags = enqueued ? RECORD_ENQUEUED : 0});
    const int64_t published_ns = stages_end(ring->stages, STAGE_COPY, claimed_ns);
    if (enqueued) {
        if (!is_told) {
            wake_committer(ring);
        }
        /* Published too late to be counted among those that the failure lost. ring_fail fences for all threads between
         * its store and its look; here only the compiler must keep to the order. */
        atomic_signal_fence(memory_order_seq_cst);
        return ring_is_failing(ring) ? fail_append(ring, -EIO, length, rule, limit_left(rule, waited))
                                     : (int64_t)claim->sequence;
    }
    struct limit limit = limit_left(rule, waited);
    const int rc = leader_await(ring, claim->sequence, &limit);
    stages_end(ring->stages, STAGE_COMMIT_WAIT, published_ns);
    if (rc == 0) {
        return error_set(EINPROGRESS,
                         "record %llu was not durable on ring %s within blockTimeout, %s; it may still become "
                         "so",
                         (unsigned long long)claim->sequence, ring->path, error_time(rule->timeout_ns));
    }
    return rc < 0 ? rc : (int64_t)claim->sequence;
}

/* Found no space, or a ring that takes nothing any more. Not inlined, for the sake of those who find space. */
static __attribute__((noinline)) int64_t append_late(struct ring *ring, const void *data, size_t length,
                                                     int64_t event_time_ns, uint16_t stream,
                                                     const struct ring_rule *rule, enum call call, int rc) {
    struct limit limit = limit_of(rule->timeout_ns);
    struct claim claim;
    if (rc == -EAGAIN) {
        atomic_fetch_add_explicit(&ring->full_waits, 1, memory_order_relaxed);
        ring_ask_drain(ring);
        if (rule->on_full == RING_ON_FULL_DISCARD) {
            atomic_fetch_add_explicit(&ring->discarded, 1, memory_order_relaxed);
            return 0;
        }
        if (rule->on_full == RING_ON_FULL_BLOCK) {
            const int64_t full_ns = stages_now(ring->stages);
            rc = claim_patiently(ring, data, length, &limit, &claim);
            stages_end(ring->stages, STAGE_CLAIM_WAIT, full_ns);
        }
    }
    return rc < 0 ? fail_append(ring, rc, length, rule, limit)
                  : put(ring, &claim, data, length, event_time_ns, stream, rule, call, &limit);
}

static inline __attribute__((always_inline)) int64_t append(struct ring *ring, const void *data, size_t length,
                                                            int64_t event_time_ns, uint16_t stream,
                                                            const struct ring_rule *rule, enum call call) {
    if (!ring_is_alive(ring)) {
        return error_set(EOWNERDEAD,
                         "ring %s belongs to the parent of this forked process: open another ring in this one",
                         ring->path);
    }
    if (length > ring->limits.max_record_bytes) {
        return error_set(EMSGSIZE,
                         "a record of %zu bytes is longer than maxRecordSize of ring %s, %llu bytes, and was not "
                         "written: raise that, at most to a quarter of the ring, or shorten the record",
                         length, ring->path, (unsigned long long)ring->limits.max_record_bytes);
    }
    struct claim claim;
    touch(data, length);
    const int rc = claim_record(ring, record_bytes(length), &claim);
    return rc < 0 ? append_late(ring, data, length, event_time_ns, stream, rule, call, rc)
                  : put(ring, &claim, data, length, event_time_ns, stream, rule, call, NULL);
}

int64_t ring_append(struct ring *ring, const void *data, size_t length, int64_t event_time_ns, uint16_t stream,
                    const struct ring_rule *rule) {
    return append(ring, data, length, event_time_ns, stream, rule, CALL_APPEND);
}

int64_t ring_enqueue(struct ring *ring, const void *data, size_t length, int64_t event_time_ns, uint16_t stream,
                     const struct ring_rule *rule) {
    return append(ring, data, length, event_time_ns, stream, rule, CALL_ENQUEUE);
}

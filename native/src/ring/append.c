/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/append.h"

#include <errno.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/spin.h"
#include "ring/claim.h"
#include "ring/full.h"
#include "ring/leader.h"
#include "ring/progress.h"

static void await_reason(const struct ring *ring, struct limit *limit) {
    for (int look = 0; !ring_has_failed(ring); look++) {
        if (look >= SPIN_LOOKS && limit_left_ns(limit, ring->platform) == 0) {
            return;
        }
        spin_or_sleep(ring->platform, look);
    }
}

static __attribute__((noinline)) int fail_failing(const struct ring *ring, struct limit limit) {
    await_reason(ring, &limit);
    return error_set(EIO, "ring %s has failed: %s; nothing is appended until it is opened again", ring->path,
                     ring_has_failed(ring) ? ring->failure : "why, burst_failure() tells in a moment");
}

static int is_closed(const struct ring_stream *stream) {
    return __builtin_expect(atomic_load(&stream->is_closed) != 0, 0);
}

void ring_close_stream(struct ring *ring, struct ring_stream *stream) {
    atomic_store(&stream->is_closed, 1);
    event_count_notify(&ring->space, ring->platform); /* begins with a fence: the flag before the claim word */
}

int ring_refuse_closed_stream(const struct ring *ring, const struct ring_stream *stream) {
    return error_set(ESHUTDOWN, "stream %u of ring %s is closed", stream->id, ring->path);
}

static int fail_append(const struct ring *ring, int rc, size_t length, const struct ring_stream *stream,
                       const struct ring_rule *rule, struct limit limit) {
    const uint64_t bytes = record_bytes(length);
    switch (-rc) {
    case EIO:
        return fail_failing(ring, limit);
    case ESHUTDOWN:
        return is_closed(stream) ? ring_refuse_closed_stream(ring, stream)
                                 : error_set(ESHUTDOWN, "the log on ring %s is closed", ring->path);
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

/* Brings the caller's bytes into memory (from swap, from a mapped file) before the claim. A page fault after the claim
 * would hold up every commit, since the leader waits for this thread's copy. */
static void touch(const volatile uint8_t *data, size_t length) {
    for (size_t at = 0; at < length; at += RING_TOUCH_BYTES) {
        (void)data[at];
    }
    if (length > 0) {
        (void)data[length - 1];
    }
}

/* As touch does, for 1 to RING_TOUCH_BYTES bytes. */
static inline void touch_ends(const volatile uint8_t *data, size_t length) {
    (void)data[0];
    (void)data[length - 1];
}

/* Whether a record that is not short may go the way of short ones. Fetches its pages then. */
static __attribute__((noinline)) int admits(const struct ring *ring, const void *data, size_t length) {
    if (length > ring->limits.max_record_bytes || !ring_is_alive(ring)) {
        return 0;
    }
    touch(data, length);
    return 1;
}

/* Waits for space and claims it. Gives up when the limit is over, or the stream is closed. */
static int claim_when_free(struct ring *ring, const void *data, size_t length, const struct ring_stream *stream,
                           struct limit *limit, struct claim *claim) {
    const struct platform *platform = ring->platform;
    const int64_t begin_ns = platform_monotonic_ns(platform);
    full_begins(ring, begin_ns);
    for (;;) {
        const uint32_t ticket = event_count_register(&ring->space);
        const int64_t left_ns = limit_left_ns(limit, platform);
        touch(data, length); /* again: the kernel may have taken the pages during the wait */
        const int rc = is_closed(stream) ? -ESHUTDOWN : claim_record(ring, record_bytes(length), claim);
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
 * Only the first enqueued record after the committer's last look has to wake the committer. The committer clears the
 * flag, then reads the claim; the producer claims, then reads the flag: so at least one of them sees the other's step.
 * The claim and the clearing are both seq_cst, so neither side needs a fence between its two steps. The record may be
 * published later: the leader waits for it.
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

/* The public calls differ only in this value. Each passes a constant, so the compiler drops the other branches. */
enum call {
    CALL_APPEND,
    CALL_ENQUEUE,
    CALL_PUT,  /* as an append, but somebody else waits */
    CALL_ROLL, /* waits as an append does */
    CALL_ENQUEUE_ROLL,
};

static inline int is_enqueue(enum call call) {
    return call == CALL_ENQUEUE || call == CALL_ENQUEUE_ROLL;
}

static inline int waits(enum call call) {
    return call == CALL_APPEND || call == CALL_ROLL;
}

static inline uint8_t flags_of(enum call call) {
    return (is_enqueue(call) ? RECORD_ENQUEUED : 0) | (call >= CALL_ROLL ? RECORD_ROLL : 0);
}

/* The stream was closed before the claim: publishes a VOID in the record's place, and has it committed. */
static __attribute__((noinline)) int64_t put_void(struct ring *ring, const struct claim *claim, size_t length,
                                                  const struct ring_stream *stream, int is_alone) {
    claim_publish_void(ring, claim, length, stream->id);
    if (is_alone) {
        leader_commit_alone(ring, claim, record_bytes(length));
    } else {
        wake_committer(ring);
    }
    return ring_refuse_closed_stream(ring, stream);
}

/* Copies and publishes the claimed record. An append then waits until the record is durable. `waited` is the limit that already
 * runs, or NULL if the call has not waited yet. is_alone: claim_alone claimed it. claimed_ns: when, or 0 if the record is not
 * timed. */
static inline __attribute__((always_inline)) int64_t put(struct ring *ring, const struct claim *claim, const void *data,
                                                         size_t length, int64_t event_time_ns,
                                                         const struct ring_stream *stream, const struct ring_rule *rule,
                                                         enum call call, const struct limit *waited, int is_alone,
                                                         int64_t claimed_ns) {
    const struct claim_label label = {.stream = stream->id, .flags = flags_of(call)};
    if (is_closed(stream)) {
        const struct claim late = *claim; /* the others' claim stays in registers */
        return put_void(ring, &late, length, stream, is_alone);
    }
    if (is_enqueue(call)) {
        claim->header->durable_position =
            (uint64_t)claimed_ns; /* lent to the leader, which passes it to stages_sealed and then overwrites it */
    }
    claim_publish(ring, claim, data, length, event_time_ns, label);
    const int64_t published_ns = stages_end(ring->stages, STAGE_COPY, claimed_ns);
    if (is_enqueue(call)) {
        if (__builtin_expect(!is_committer_told(ring), 0)) {
            wake_committer(ring);
        }
        /* ring_fail may have counted the lost records before this one was published. Then this load must see `failed`.
         * ring_fail fences all threads between its store of `failed` and its count, so here only the compiler must keep
         * the order. */
        atomic_signal_fence(memory_order_seq_cst);
        return __builtin_expect(ring_is_failing(ring), 0) ? fail_failing(ring, limit_left(rule, waited))
                                                          : (int64_t)claim->sequence;
    }
    if (call == CALL_PUT) {
        progress_put(ring);
        return (int64_t)claim->sequence;
    }
    struct limit limit = limit_left(rule, waited);
    const int rc = is_alone && leader_commit_alone(ring, claim, record_bytes(length))
                       ? 1
                       : leader_await(ring, claim->sequence, &limit);
    stages_end(ring->stages, STAGE_COMMIT_WAIT, published_ns);
    if (rc == 0) {
        return error_set(EINPROGRESS,
                         "record %llu was not durable on ring %s within blockTimeout, %s; it may still become "
                         "so",
                         (unsigned long long)claim->sequence, ring->path, error_time(rule->timeout_ns));
    }
    return rc < 0 ? rc : (int64_t)claim->sequence;
}

/* As put, and times the record if its turn has come. A function of its own: the others do not carry a time along. */
static __attribute__((noinline)) int64_t put_timed(struct ring *ring, const struct claim *claim, const void *data,
                                                   size_t length, int64_t event_time_ns,
                                                   const struct ring_stream *stream, const struct ring_rule *rule,
                                                   enum call call, const struct limit *waited) {
    return put(ring, claim, data, length, event_time_ns, stream, rule, call, waited, 0,
               stages_claimed(ring->stages, claim->sequence, is_enqueue(call)));
}

/* Makes the whole call. Inlining it would slow the usual call down. */
static __attribute__((noinline)) int64_t append_otherwise(struct ring *ring, const void *data, size_t length,
                                                          int64_t event_time_ns, const struct ring_stream *stream,
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
    struct limit limit = limit_of(rule->timeout_ns);
    struct claim claim;
    touch(data, length);
    int rc = claim_record(ring, record_bytes(length), &claim);
    if (rc == -EAGAIN) {
        if (!rule->is_retry) {
            atomic_fetch_add_explicit(&ring->full_waits, 1, memory_order_relaxed);
        }
        ring_ask_drain(ring);
        if (rule->on_full == RING_ON_FULL_DISCARD) {
            atomic_fetch_add_explicit(&ring->discarded, 1, memory_order_relaxed);
            return 0;
        }
        if (rule->on_full == RING_ON_FULL_BLOCK) {
            const int64_t full_ns = stages_now(ring->stages);
            rc = claim_when_free(ring, data, length, stream, &limit, &claim);
            stages_end(ring->stages, STAGE_CLAIM_WAIT, full_ns);
        }
    }
    return rc < 0 ? fail_append(ring, rc, length, stream, rule, limit)
                  : put_timed(ring, &claim, data, length, event_time_ns, stream, rule, call, &limit);
}

static inline __attribute__((always_inline)) int64_t append(struct ring *ring, const void *data, size_t length,
                                                            int64_t event_time_ns, const struct ring_stream *stream,
                                                            const struct ring_rule *rule, enum call call) {
    struct claim claim;
    if (__builtin_expect(!ring_takes_short(ring, length), 0)) {
        if (!admits(ring, data, length)) {
            return append_otherwise(ring, data, length, event_time_ns, stream, rule, call);
        }
    } else {
        touch_ends(data, length);
    }
    const int is_alone = waits(call) && claim_alone(ring, record_bytes(length), &claim);
    if (!is_alone && !claim_usual(ring, record_bytes(length), &claim)) {
        return append_otherwise(ring, data, length, event_time_ns, stream, rule, call);
    }
    if (is_enqueue(call) && stages_times(ring->stages, claim.sequence, 1)) {
        const struct claim timed = claim; /* the others' claim stays in registers */
        return put_timed(ring, &timed, data, length, event_time_ns, stream, rule, call, NULL);
    }
    return put(ring, &claim, data, length, event_time_ns, stream, rule, call, NULL, is_alone,
               is_enqueue(call) ? 0 : stages_claimed(ring->stages, claim.sequence, 0));
}

int64_t ring_append(struct ring *ring, const void *data, size_t length, int64_t event_time_ns,
                    const struct ring_stream *stream, const struct ring_rule *rule) {
    return append(ring, data, length, event_time_ns, stream, rule, CALL_APPEND);
}

int64_t ring_enqueue(struct ring *ring, const void *data, size_t length, int64_t event_time_ns,
                     const struct ring_stream *stream, const struct ring_rule *rule) {
    return append(ring, data, length, event_time_ns, stream, rule, CALL_ENQUEUE);
}

int64_t ring_put(struct ring *ring, const void *data, size_t length, int64_t event_time_ns,
                 const struct ring_stream *stream, const struct ring_rule *rule) {
    return append(ring, data, length, event_time_ns, stream, rule, CALL_PUT);
}

int64_t ring_append_roll(struct ring *ring, const void *data, size_t length, int64_t event_time_ns,
                         const struct ring_stream *stream, const struct ring_rule *rule) {
    return append(ring, data, length, event_time_ns, stream, rule, CALL_ROLL);
}

int64_t ring_enqueue_roll(struct ring *ring, const void *data, size_t length, int64_t event_time_ns,
                          const struct ring_stream *stream, const struct ring_rule *rule) {
    return append(ring, data, length, event_time_ns, stream, rule, CALL_ENQUEUE_ROLL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why no record stays behind. A thread that puts a record in claims it, then sets `awaited`, then reads CLAIM_LED. (1) If
 * nobody leads, it notifies the waker. The waker registers before it looks at `awaited`, so it leads or does not sleep.
 * (2) If a thread leads, the end of that commit notifies the waker after it let go. (3) The waker clears
 * `awaited` before it seals. So a flag that it cleared belongs to a record that it seals. (4) A waker that is not in
 * this call is about to enter it: the task that waits for the record makes sure of that. The model parked.pml checks
 * all this, together with the tasks.
 */
#include "ring/progress.h"

#include "ring/claim_word.h"
#include "ring/full.h"
#include "ring/leader.h"

/* The committer takes over if so many records wait when the waker returns: they become durable while the waker releases
 * the tasks of the commit before. For fewer, waking the committer costs more than that gains. */
#define HAND_OVER_RECORDS 32u

static uint64_t durable_next(const struct ring *ring) {
    return atomic_load_explicit(&ring->durable_next_sequence, memory_order_acquire);
}

static struct progress now(const struct ring *ring, const struct progress *seen) {
    return (struct progress){
        .is_over = atomic_load(&ring->parked.is_over), /* first: what becomes durable before that is read below */
        .is_failed = (uint32_t)ring_has_failed(ring),
        .is_closing = (atomic_load(&ring->claim) & CLAIM_CLOSED) != 0,
        .nudges = atomic_load(&ring->parked.nudges),
        .drains = atomic_load(&ring->parked.drains),
        .freed = atomic_load(&ring->freed),
        .durable_next_sequence = durable_next(ring),
        .wants_space = seen->wants_space,
    };
}

static int differ(const struct progress *one, const struct progress *other) {
    return one->durable_next_sequence != other->durable_next_sequence || one->freed != other->freed ||
           one->drains != other->drains || one->nudges != other->nudges || one->is_failed != other->is_failed ||
           one->is_closing != other->is_closing || one->is_over != other->is_over;
}

static int has_changed(const struct ring *ring, struct progress *seen) {
    const struct progress found = now(ring, seen);
    if (!differ(&found, seen)) {
        return 0;
    }
    *seen = found;
    return 1;
}

static int is_awaited(const struct ring *ring) {
    return atomic_load(&ring->parked.awaited) != 0;
}

/* Leads a commit if a record is awaited and nobody leads. Returns whether it led. */
static int lead(struct ring *ring) {
    if (!is_awaited(ring)) {
        return 0;
    }
    atomic_store(&ring->parked.awaited, 0);
    atomic_thread_fence(memory_order_seq_cst); /* the flag before the claim word, as in the committer */
    if (durable_next(ring) == ring_next_sequence(ring)) {
        return 0;
    }
    if (leader_lead(ring)) {
        return 1;
    }
    atomic_store(&ring->parked.awaited, 1); /* the other leader may have sealed before the record came */
    return 0;
}

/* Tells drain and operator that somebody waits for space. Returns after how many nanoseconds to look again. */
static int64_t wait_for_space(struct ring *ring, struct progress *seen, int64_t since_ns) {
    const int64_t now_ns = platform_monotonic_ns(ring->platform);
    if (!seen->wants_space) {
        seen->wants_space = 1;
        full_begins(ring, now_ns);
    }
    const int64_t pause_ns = full_lasts(ring, now_ns > since_ns ? now_ns - since_ns : 0, now_ns);
    event_count_notify(&ring->drain, ring->platform);
    return pause_ns;
}

static void hand_over(struct ring *ring, const struct progress *seen) {
    if (is_awaited(ring) && ring_next_sequence(ring) - seen->durable_next_sequence >= HAND_OVER_RECORDS) {
        ring_hurry(ring);
    }
}

static int await_change(struct ring *ring, struct progress *seen, int64_t space_since_ns, struct limit *limit) {
    while (!has_changed(ring, seen)) {
        if (lead(ring)) {
            continue;
        }
        const uint32_t ticket = event_count_register(&ring->progress);
        const int changed = has_changed(ring, seen);
        const int may_lead = is_awaited(ring) && !leader_is_there(ring);
        int64_t left_ns = changed || may_lead ? 0 : limit_left_ns(limit, ring->platform);
        if (left_ns == 0) {
            event_count_leave(&ring->progress);
            if (changed || !may_lead) {
                return changed;
            }
            continue;
        }
        if (space_since_ns != 0) {
            left_ns = limit_pause_ns(left_ns, wait_for_space(ring, seen, space_since_ns));
        }
        event_count_wait(&ring->progress, ring->platform, ticket, left_ns);
    }
    return 1;
}

int ring_await_progress(struct ring *ring, struct progress *seen, int64_t space_since_ns, int64_t timeout_ns) {
    struct limit limit = limit_of(timeout_ns);
    if (space_since_ns != 0) {
        event_count_register(&ring->space); /* full.c asks whether somebody waits */
    } else {
        seen->wants_space = 0;
    }
    const int changed = await_change(ring, seen, space_since_ns, &limit);
    if (space_since_ns != 0) {
        event_count_leave(&ring->space);
    }
    if (changed) {
        hand_over(ring, seen);
    }
    return changed;
}

void progress_put(struct ring *ring) {
    if (!is_awaited(ring)) {
        atomic_store(&ring->parked.awaited, 1);
    }
    if (!leader_is_there(ring)) {
        event_count_notify(&ring->progress, ring->platform);
    }
}

void progress_nudge(struct ring *ring) {
    atomic_fetch_add(&ring->parked.nudges, 1);
    atomic_store(&ring->parked.awaited, 1);
    event_count_notify(&ring->progress, ring->platform);
}

void progress_drained(struct ring *ring) {
    atomic_fetch_add(&ring->parked.drains, 1);
    event_count_notify(&ring->progress, ring->platform);
}

void progress_end(struct ring *ring) {
    atomic_store(&ring->parked.is_over, 1);
    event_count_notify(&ring->progress, ring->platform);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who commits, and who sleeps until when.
 *
 * A thread that waits for durability tries to lead; one succeeds. The others sleep in one of two groups: those whose
 * record is part of the commit under way, and those whose record will be part of the next. At the end of a commit
 * all of the first group are woken and one of the second, which then leads. The groups take turns on two futex words,
 * which both count finished commits: while the count is g, the commit under way is slept for on word g % 2, the next
 * one on word (g + 1) % 2.
 *
 * Why nobody sleeps for ever. (1) A sleeper compared its word with a count that it had read before it saw who leads;
 * a commit that ended in between has changed the word, so the sleep does not begin. (2) Every end of a commit wakes
 * one group wholly, and the next end the other: a sleeper is woken at the latest by the second end after it lay down.
 * (3) That second end comes: the first one woke a sleeper of the second group, who leads, or finds another leading,
 * before it does anything else, even if its own time is over. (4) On a ring that has failed no commit ends any more: there
 * everybody who leaves wakes everybody who sleeps.
 * Counting and waking happen after the leader let go, so two leaders may count in either order; all that can come of it
 * is a wake-up for nothing, after which the sleeper looks again.
 */
#include <errno.h>
#include <limits.h>

#include "base/cpu.h"
#include "base/error.h"
#include "ring/claim.h"
#include "ring/commit.h"

/* A leader between election and seal is a few instructions away, unless it was preempted. */
#define SEAL_SPINS 64
#define SEAL_PAUSE_NS 20000

static void wake(struct ring *ring, uint32_t word, int count) {
    if (atomic_load(&ring->sleepers[word]) != 0) {
        ring->platform->ops->unpark(ring->platform, &ring->generation[word], count);
    }
}

static void let_go(struct ring *ring) {
    atomic_store_explicit(&ring->leader, LEADER_FREE, memory_order_release);
    const uint32_t finished = atomic_fetch_add(&ring->generation[0], 1);
    atomic_fetch_add(&ring->generation[1], 1);
    wake(ring, (finished + 1) & 1, 1); /* the next leader first: its write can start while the others wake */
    wake(ring, finished & 1, INT_MAX);
}

static int is_durable(const struct ring *ring, uint64_t sequence) {
    return atomic_load_explicit(&ring->durable_next_sequence, memory_order_acquire) > sequence;
}

void ring_ask_drain(struct ring *ring) {
    if (atomic_load_explicit(&ring->drain_asked, memory_order_relaxed) == 0) {
        atomic_store_explicit(&ring->drain_asked, 1, memory_order_relaxed);
        signal_notify(&ring->drain, ring->platform);
    }
}

/* Once for every eighth of the ring: at a lower rate the drain looks in time by itself. */
static void ask_drain(struct ring *ring) {
    const uint64_t waiting = atomic_load_explicit(&ring->durable_position, memory_order_relaxed) -
                             atomic_load_explicit(&ring->drain_looked, memory_order_relaxed);
    if (waiting >= ring->geometry.capacity_bytes / 8) {
        ring_ask_drain(ring);
    }
}

/* Leads one commit if nobody leads. */
static int try_to_lead(struct ring *ring) {
    uint64_t expected = LEADER_FREE;
    if (!atomic_compare_exchange_strong(&ring->leader, &expected, LEADER_CLAIMED)) {
        return 0;
    }
    if (!ring_has_failed(ring)) {
        commit_round(ring);
    }
    let_go(ring);
    signal_notify(&ring->space, ring->platform); /* fewer records are in flight: claim.h bounds them */
    ask_drain(ring);
    return 1;
}

void ring_quiesce(struct ring *ring) {
    uint64_t expected = LEADER_FREE;
    while (!atomic_compare_exchange_strong(&ring->leader, &expected, LEADER_CLAIMED)) {
        expected = LEADER_FREE;
        ring->platform->ops->sleep_ns(ring->platform, SEAL_PAUSE_NS);
    }
    let_go(ring);
}

/* Sleeps until the commit that concerns this sequence, or the one before it, has ended. */
static void sleep_in_group(struct ring *ring, uint64_t sequence, int64_t timeout_ns) {
    const uint32_t finished = atomic_load(&ring->generation[0]);
    uint64_t leader = atomic_load(&ring->leader);
    for (int spin = 0; leader == LEADER_CLAIMED; spin++) {
        if (spin < SEAL_SPINS) {
            cpu_pause();
        } else {
            ring->platform->ops->sleep_ns(ring->platform, SEAL_PAUSE_NS);
        }
        leader = atomic_load(&ring->leader);
    }
    if (leader == LEADER_FREE || is_durable(ring, sequence) || ring_has_failed(ring)) {
        return;
    }
    const uint32_t word = (sequence < leader - LEADER_SEALED ? finished : finished + 1) & 1;
    atomic_fetch_add(&ring->sleepers[word], 1);
    ring->platform->ops->park(ring->platform, &ring->generation[word], finished, timeout_ns);
    atomic_fetch_sub(&ring->sleepers[word], 1);
}

int leader_await(struct ring *ring, uint64_t sequence, int64_t timeout_ns) {
    int64_t deadline_ns = 0; /* not read from the clock unless this thread has to sleep */
    int64_t left_ns = timeout_ns;
    for (;;) {
        if (is_durable(ring, sequence)) {
            return 1;
        }
        if (ring_has_failed(ring)) {
            /* No commit will end any more: whoever leaves wakes the rest. */
            wake(ring, 0, INT_MAX);
            wake(ring, 1, INT_MAX);
            return error_set(EIO, "ring %s has failed: %s", ring->path, ring->failure);
        }
        if (timeout_ns == 0) {
            return 0;
        }
        if (try_to_lead(ring)) {
            continue;
        }
        if (timeout_ns >= 0) {
            if (deadline_ns == 0) {
                deadline_ns = platform_deadline_ns(ring->platform, timeout_ns);
            }
            left_ns = deadline_ns - platform_monotonic_ns(ring->platform);
            if (left_ns <= 0) {
                return 0;
            }
        }
        sleep_in_group(ring, sequence, left_ns);
    }
}

int ring_await_durable(struct ring *ring, uint64_t sequence, int64_t timeout_ns) {
    const uint64_t next = ring_next_sequence(ring);
    if (sequence >= next) {
        return error_set(EINVAL, "sequence %llu was never given out by ring %s: the next one is %llu",
                         (unsigned long long)sequence, ring->path, (unsigned long long)next);
    }
    return leader_await(ring, sequence, timeout_ns);
}

int ring_commit(struct ring *ring) {
    const uint64_t next = ring_next_sequence(ring);
    if (is_durable(ring, next - 1)) {
        return 0;
    }
    return leader_await(ring, next - 1, -1);
}

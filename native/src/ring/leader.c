/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who commits, who waits for whom, and who sleeps until when.
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
 *
 * Gathering. Those whom a commit made durable are back with their next records as soon as they have been woken. A leader
 * that seals at once writes for the first of them, and the rest wait for two writes in the place of one. So a leader that
 * follows right after a commit that several threads waited for first lets them come: until as many records are there as
 * threads were waiting, for as long as a commit takes at most. Where they do not come (threads that log now and then) it
 * soon does so no more but once in GATHER_PROBE chances. With one thread, and on media as fast as a wake-up, nobody gathers.
 *
 * Spinning. Where a commit takes less than waking a few threads does, a thread that waits for one spins, giving way at each
 * look to those who may have the next record; on slow media all sleep at once. It pays as long as no more than about two
 * threads for each CPU wait. If more do, they all sleep: who gives way again and again comes behind everything else that
 * the machine runs, who was woken comes first.
 */
#include <errno.h>
#include <limits.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/spin.h"
#include "ring/claim.h"
#include "ring/commit.h"

#define SLOW_COMMIT_NS 15000 /* what waking a few threads takes: slower commits are slept for, faster ones spun for */
#define GATHER_PROBE 32u
#define GATHER_PATIENCE 4u
#define COMMIT_AVERAGE 8
#define STALL_COMMITS 4
#define SPIN_COMMITS 8     /* so many times the usual commit is spun for */
#define SPINNERS_PER_CPU 2u

static void wake(struct ring *ring, uint32_t word, int count) {
    if (atomic_load(&ring->sleepers[word]) != 0) {
        ring->platform->ops->unpark(ring->platform, &ring->generation[word], count);
    }
}

static uint32_t sleepers(const struct ring *ring) {
    return atomic_load_explicit(&ring->sleepers[0], memory_order_relaxed) +
           atomic_load_explicit(&ring->sleepers[1], memory_order_relaxed);
}

static int64_t commit_ns(const struct ring *ring) {
    return (int64_t)atomic_load_explicit(&ring->commit_ns, memory_order_relaxed);
}

/* Waits until all that are expected are there, or their time is over. Returns now. */
static int64_t await_crowd(struct ring *ring) {
    struct crowd *crowd = &ring->crowd;
    const uint64_t durable = atomic_load_explicit(&ring->durable_next_sequence, memory_order_relaxed);
    int64_t now_ns = platform_monotonic_ns(ring->platform);
    for (int turn = 0; turn < SPIN_TURNS && now_ns < crowd->until_ns; turn++) {
        const uint64_t word = atomic_load_explicit(&ring->claim, memory_order_relaxed);
        if (claim_sequence(word, durable) - durable >= crowd->expected) {
            crowd->patience += crowd->patience < GATHER_PATIENCE;
            return now_ns;
        }
        ring->platform->ops->yield(ring->platform);
        now_ns = platform_monotonic_ns(ring->platform);
    }
    crowd->patience -= crowd->patience > 0;
    return now_ns;
}

/* The leader's first step. See above. */
static void gather(struct ring *ring) {
    struct crowd *crowd = &ring->crowd;
    crowd->began_ns = 0;
    if (crowd->expected < 2) {
        return;
    }
    crowd->began_ns = platform_monotonic_ns(ring->platform);
    if (commit_ns(ring) >= SLOW_COMMIT_NS && crowd->began_ns < crowd->until_ns &&
        (crowd->patience > 0 || ++crowd->passed % GATHER_PROBE == 0)) {
        atomic_store(&ring->leader, LEADER_GATHERING);
        crowd->began_ns = await_crowd(ring);
        atomic_store(&ring->leader, LEADER_CLAIMED);
    }
}

/* The leader's last step: whom the next one may expect, and until when. */
static void count_crowd(struct ring *ring) {
    struct crowd *crowd = &ring->crowd;
    crowd->expected = 1 + sleepers(ring);
    if (crowd->expected < 2) {
        return;
    }
    const int64_t now_ns = platform_monotonic_ns(ring->platform);
    int64_t average_ns = commit_ns(ring);
    if (crowd->began_ns != 0) {
        int64_t took_ns = now_ns - crowd->began_ns;
        if (average_ns != 0 && took_ns > STALL_COMMITS * average_ns) {
            took_ns = STALL_COMMITS * average_ns; /* a stall is no measure of how long others are worth waiting for */
        }
        average_ns = average_ns == 0 ? took_ns : average_ns + (took_ns - average_ns) / COMMIT_AVERAGE;
        atomic_store_explicit(&ring->commit_ns, (uint64_t)average_ns, memory_order_relaxed);
    }
    crowd->until_ns = now_ns + average_ns;
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
    gather(ring);
    if (!ring_is_failing(ring)) {
        commit_round(ring);
    }
    count_crowd(ring);
    let_go(ring);
    signal_notify(&ring->space, ring->platform); /* fewer records are in flight: claim.h bounds them */
    ask_drain(ring);
    return 1;
}

void ring_quiesce(struct ring *ring) {
    uint64_t expected = LEADER_FREE;
    while (!atomic_compare_exchange_strong(&ring->leader, &expected, LEADER_CLAIMED)) {
        expected = LEADER_FREE;
        ring->platform->ops->sleep_ns(ring->platform, SPIN_SLEEP_NS);
    }
    let_go(ring);
}

/* Waits spinning where that is worth it: 1 if something has changed, 0 if it is time to sleep. */
static int spin(struct ring *ring, uint64_t sequence) {
    const int64_t average_ns = commit_ns(ring);
    const uint32_t most = SPINNERS_PER_CPU * ring->limits.cpus;
    if (average_ns == 0 || average_ns >= SLOW_COMMIT_NS || sleepers(ring) > most) {
        return 0;
    }
    int is_over = 0;
    if (atomic_fetch_add_explicit(&ring->spinners, 1, memory_order_relaxed) < most) {
        const int64_t until_ns = platform_monotonic_ns(ring->platform) + SPIN_COMMITS * average_ns;
        for (int turn = 0; turn < SPIN_TURNS && !is_over && platform_monotonic_ns(ring->platform) < until_ns; turn++) {
            ring->platform->ops->yield(ring->platform);
            is_over = is_durable(ring, sequence) || ring_has_failed(ring) ||
                      atomic_load_explicit(&ring->leader, memory_order_relaxed) == LEADER_FREE;
        }
    }
    atomic_fetch_sub_explicit(&ring->spinners, 1, memory_order_relaxed);
    return is_over;
}

/* Sleeps until the commit that concerns this sequence, or the one before it, has ended. */
static void sleep_in_group(struct ring *ring, uint64_t sequence, int64_t timeout_ns) {
    const uint32_t finished = atomic_load(&ring->generation[0]);
    uint64_t leader = atomic_load(&ring->leader);
    for (int look = 0; leader == LEADER_CLAIMED; look++) {
        spin_or_sleep(ring->platform, look);
        leader = atomic_load(&ring->leader);
    }
    if (leader == LEADER_FREE || is_durable(ring, sequence) || ring_has_failed(ring)) {
        return;
    }
    /* What is claimed while the leader gathers is sealed next. */
    const int is_part = leader == LEADER_GATHERING || sequence < leader - LEADER_SEALED;
    const uint32_t word = (is_part ? finished : finished + 1) & 1;
    if (word == 1 && atomic_load(&ring->generation[1]) != finished && atomic_load(&ring->generation[0]) == finished) {
        /* Who let go last has counted on one word only: the other would not let this thread sleep. */
        ring->platform->ops->sleep_ns(ring->platform, SPIN_SLEEP_NS);
        return;
    }
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
        const int has_changed = try_to_lead(ring) || spin(ring, sequence);
        const int is_failing = ring_is_failing(ring); /* soon it says why; who leads until then only wakes */
        if (has_changed && !is_failing) {
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
        if (is_failing) {
            ring->platform->ops->sleep_ns(ring->platform,
                                          left_ns >= 0 && left_ns < SPIN_SLEEP_NS ? left_ns : SPIN_SLEEP_NS);
        } else {
            sleep_in_group(ring, sequence, left_ns);
        }
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

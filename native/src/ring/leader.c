/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leading commits, and waiting for them.
 *
 * Each thread that waits for durability tries to lead, and one succeeds. The others sleep in two groups: threads whose
 * record is part of the commit under way, and threads whose record will be part of the next one. At the end of a
 * commit the leader wakes all of the first group and one thread of the second, which then leads. The groups take turns
 * on two futex words, which both count finished commits. While the count is g, the first group sleeps on word g % 2
 * and the second on word (g + 1) % 2.
 *
 * Time limits. A leader waits for the medium. So an await with a limit never leads. It asks the committer to lead, and
 * sleeps on an event count of its own, which each end of a commit and each failure notify. An append with a limit
 * leads only while it has time left; then it waits for its own write. If a producer does not publish its record before
 * that limit, the append lets go, and the next leader continues the round.
 *
 * Marks. A woken thread may wait for a CPU during thousands of commits in memory, and none of these must wake it again. So a
 * thread that goes to sleep marks its word with the count of the commit whose end wakes all that sleep there (`due`). The
 * later one of two marks stands. That end clears it: nobody goes to sleep for it any more, and it wakes all who did. A leader
 * that comes late to this may find the mark of a commit that ends later. It wakes all, and leaves that mark.
 *
 * Why nobody sleeps for ever. (1) A sleeper read the count before it saw who leads, and sleeps only while its word
 * still has that count. A commit that ended in between has changed the word, so the sleep does not begin. (2) Two ends
 * of commits in a row wake all of both groups. So the second end after a thread lay down wakes it at the latest. (3)
 * That second end comes. The first end woke a thread of the second group, which leads, or finds another leader, before
 * it does anything else. If its limit is over it does not lead: it wakes another sleeper, and asks the committer, for
 * its own record and in case nobody else sleeps. (4) The committer has no limit, and sleeps in the groups like others.
 * After it was asked it looks what is claimed, and leaves only when all of that is durable or the ring has failed
 * (threads.c). (5) On a failed ring no commit ends any more. So each thread that leaves wakes all sleepers. (6) An
 * await with a limit registers, then asks the committer. By (4), either the end of the commit that makes its record
 * durable or a failure is still to come, and both see that the await is registered. Since a leader wakes after it let
 * go, two leaders may wake in either order. At worst a sleeper wakes up for nothing, and looks again.
 *
 * Gathering. Threads that a commit woke come back at once with their next records. If the next leader sealed at once,
 * its write would have only the first of these records, and the other threads would wait for two writes. So after a
 * commit that several threads waited for, the leader lets records come first: as many as threads waited, but no longer
 * than a commit takes. If they do not come (threads log now and then), leaders stop gathering, but for one in
 * GATHER_PROBE chances. With one thread, and on media as fast as a wake-up, no leader gathers.
 *
 * Spinning. If a commit takes less time than waking a few threads, a thread that waits for it spins. At each look it
 * yields its CPU to threads that may have the next record. On slow media all threads sleep at once. Spinning pays
 * while no more than about two threads wait for each CPU. If there are more, all of them sleep: the scheduler runs a
 * thread last that yields again and again, and a thread first that was just woken.
 */
#include "ring/leader.h"

#include <errno.h>
#include <limits.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/spin.h"
#include "ring/claim_word.h"
#include "ring/commit.h"

#define SLOW_COMMIT_NS 15000 /* the time to wake a few threads: threads sleep through a slower commit */
#define GATHER_PROBE 32u
#define GATHER_CREDIT_MOST 4u
#define COMMIT_AVERAGE 8
#define STALL_COMMITS 4
#define QUIESCE_MOST_NS 1000000 /* longest pause between two looks whether the leader has let go */
#define SPIN_COMMITS 8          /* a thread spins at most this many usual commits */
#define SPINNERS_PER_CPU 2u
/* In a smaller ring no thread waits for space because too many records are in flight: they do not fit. */
#define BOUNDED_BYTES (CLAIM_SEQUENCES_IN_FLIGHT * RECORD_HEADER_BYTES)

static void wake(struct ring *ring, uint32_t word, int count) {
    if (atomic_load(&ring->due[word]) != 0) {
        ring->platform->ops->unpark(ring->platform, &ring->generation[word], count);
    }
}

/* The mark of the commit that is number `count` of the finished ones: never 0, and marks of one word are as far apart as
 * their counts, which have the parity of the word. */
static uint32_t due_mark(uint32_t count) {
    return count | 1;
}

static int is_later(uint32_t mark, uint32_t than) {
    return (int32_t)(mark - than) > 0;
}

/* Notes that a thread is about to sleep on the word until the end of commit `count`. Keeps the mark of a later one.
 * Where another thread's mark is enough, the load that sees it takes the place of the exchange (docs/platforms.md). */
static void note_due(struct ring *ring, uint32_t word, uint32_t count) {
    const uint32_t mark = due_mark(count);
    uint32_t seen = atomic_load(&ring->due[word]);
    while ((seen == 0 || is_later(mark, seen)) && !atomic_compare_exchange_weak(&ring->due[word], &seen, mark)) {
    }
}

/* Commit `count` has ended: wakes all that sleep for it. Keeps the mark of a later one. */
static void wake_due(struct ring *ring, uint32_t count) {
    const uint32_t word = count & 1;
    uint32_t seen = atomic_load(&ring->due[word]);
    if (seen != 0) {
        if (!is_later(seen, due_mark(count))) {
            atomic_compare_exchange_strong(&ring->due[word], &seen, 0);
        }
        ring->platform->ops->unpark(ring->platform, &ring->generation[word], INT_MAX);
    }
}

static uint32_t sleepers(const struct ring *ring) {
    return atomic_load_explicit(&ring->sleepers, memory_order_relaxed);
}

static int64_t commit_ns(const struct ring *ring) {
    return (int64_t)atomic_load_explicit(&ring->commit_ns, memory_order_relaxed);
}

/* Waits until as many records are claimed as threads are expected, or until the time is over. Returns the present
 * time. */
static int64_t await_gathering(struct ring *ring) {
    struct gathering *gathering = &ring->gathering;
    const uint64_t durable = atomic_load_explicit(&ring->durable_next_sequence, memory_order_relaxed);
    int64_t now_ns = platform_monotonic_ns(ring->platform);
    for (int turn = 0; turn < SPIN_TURNS && now_ns < gathering->until_ns; turn++) {
        const uint64_t word = atomic_load_explicit(&ring->claim, memory_order_relaxed);
        if (claim_sequence(word, durable) - durable >= gathering->expected) {
            gathering->gather_credit += gathering->gather_credit < GATHER_CREDIT_MOST;
            return now_ns;
        }
        ring->platform->ops->yield(ring->platform);
        now_ns = platform_monotonic_ns(ring->platform);
    }
    gathering->gather_credit -= gathering->gather_credit > 0;
    return now_ns;
}

/* The leader's first step: see *Gathering* above. */
static void gather(struct ring *ring) {
    struct gathering *gathering = &ring->gathering;
    gathering->began_ns = 0;
    if (atomic_load_explicit(&gathering->expected, memory_order_relaxed) < 2) {
        return;
    }
    gathering->began_ns = platform_monotonic_ns(ring->platform);
    if (commit_ns(ring) >= SLOW_COMMIT_NS && gathering->began_ns < gathering->until_ns &&
        (gathering->gather_credit > 0 || ++gathering->passed % GATHER_PROBE == 0)) {
        atomic_store(&ring->leader, LEADER_GATHERING);
        gathering->began_ns = await_gathering(ring);
        atomic_store(&ring->leader, LEADER_CLAIMED);
    }
}

/* The leader's last step: notes for the next leader how many threads to expect, and until when. */
static void count_gathering(struct ring *ring) {
    struct gathering *gathering = &ring->gathering;
    const uint32_t expected = 1 + sleepers(ring);
    atomic_store_explicit(&gathering->expected, expected, memory_order_relaxed);
    if (expected < 2) {
        return;
    }
    const int64_t now_ns = platform_monotonic_ns(ring->platform);
    int64_t average_ns = commit_ns(ring);
    if (gathering->began_ns != 0) {
        int64_t took_ns = now_ns - gathering->began_ns;
        if (average_ns != 0 && took_ns > STALL_COMMITS * average_ns) {
            took_ns = STALL_COMMITS * average_ns; /* a stalled write tells nothing about a usual commit */
        }
        average_ns = average_ns == 0 ? took_ns : average_ns + (took_ns - average_ns) / COMMIT_AVERAGE;
        atomic_store_explicit(&ring->commit_ns, (uint64_t)average_ns, memory_order_relaxed);
    }
    gathering->until_ns = now_ns + average_ns;
}

/* Does what event_count_notify does. It needs no fence: let_go has one. */
static void notify_after_count(struct ring *ring, struct event_count *event) {
    if (atomic_load(&event->waiters) != 0) {
        atomic_fetch_add(&event->count, 1);
        ring->platform->ops->unpark(ring->platform, &event->count, INT_MAX);
    }
}

/* Adds 1 to both words in one step: only the leader writes them. Returns their value before. */
static uint32_t count_finished(struct ring *ring) {
    const uint32_t finished = (uint32_t)atomic_load_explicit(&ring->generations, memory_order_relaxed);
    const uint64_t next = (uint64_t)(finished + 1u) << 32 | (finished + 1u);
    atomic_store_explicit(&ring->generations, next, memory_order_release);
    return finished;
}

/* `finished`: the count of finished commits before this one. */
static __attribute__((noinline)) void wake_after_count(struct ring *ring, uint32_t finished) {
    wake(ring, (finished + 1) & 1, 1); /* wake the next leader first: its write can start while the others wake */
    wake_due(ring, finished);
    notify_after_count(ring, &ring->ended);
    notify_after_count(ring, &ring->progress);
    if (ring->geometry.capacity_bytes >= BOUNDED_BYTES) {
        notify_after_count(ring, &ring->space); /* fewer records are in flight now */
    }
}

/* The word `leader` before the count: a thread that reads the new count must not see the old seal, since it would sleep
 * for the end of a commit that has ended. Giving the lead up is the fence between the count and the look at those who
 * sleep. By the letter of C11 a release store and the loads behind an exchange need one more; x86-64 and Arm (a store
 * that releases, then loads that are seq_cst; model/arm/let-go.litmus) keep their order. */
static inline __attribute__((always_inline)) void let_go(struct ring *ring) {
    atomic_store_explicit(&ring->leader, LEADER_CLAIMED, memory_order_release);
    const uint32_t finished = count_finished(ring);
    atomic_fetch_and(&ring->claim, ~CLAIM_LED);
    if ((atomic_load(&ring->due[0]) | atomic_load(&ring->due[1]) | atomic_load(&ring->ended.waiters) |
         atomic_load(&ring->progress.waiters) | atomic_load(&ring->space.waiters)) != 0) {
        wake_after_count(ring, finished);
    }
}

static int is_durable(const struct ring *ring, uint64_t sequence) {
    return atomic_load_explicit(&ring->durable_next_sequence, memory_order_acquire) > sequence;
}

void ring_ask_drain(struct ring *ring) {
    if (atomic_load_explicit(&ring->drain_asked, memory_order_relaxed) == 0) {
        atomic_store_explicit(&ring->drain_asked, 1, memory_order_relaxed);
        event_count_notify(&ring->drain, ring->platform);
    }
}

/* Wakes the drain once for each eighth of the ring. At a lower rate the drain looks in time by itself. */
static void ask_drain(struct ring *ring) {
    const uint64_t waiting = atomic_load_explicit(&ring->durable_position, memory_order_relaxed) -
                             atomic_load_explicit(&ring->drain_looked, memory_order_relaxed);
    if (waiting >= ring->geometry.capacity_bytes / 8) {
        ring_ask_drain(ring);
    }
}

void ring_hurry(struct ring *ring) {
    atomic_store(&ring->hurried, 1);
    atomic_store(&ring->enqueued, 1);
    event_count_notify(&ring->committer, ring->platform);
}

static int take_lead(struct ring *ring) {
    return !leader_is_there(ring) && (atomic_fetch_or(&ring->claim, CLAIM_LED) & CLAIM_LED) == 0;
}

/* Leads one commit, unless another thread leads. Returns whether it led. */
static inline __attribute__((always_inline)) int try_to_lead(struct ring *ring, struct limit *limit) {
    if (!take_lead(ring)) {
        return 0;
    }
    gather(ring);
    if (!ring_is_failing(ring)) {
        commit_round(ring, limit);
    }
    count_gathering(ring);
    let_go(ring);
    ask_drain(ring);
    return 1;
}

int leader_commit_alone(struct ring *ring, const struct claim *claim, uint64_t bytes) {
    commit_alone(ring, claim, bytes);
    ring->gathering.began_ns = 0;
    count_gathering(ring);
    let_go(ring);
    ask_drain(ring);
    return is_durable(ring, claim->sequence);
}

int leader_lead(struct ring *ring) {
    struct limit limit = limit_of(-1);
    return try_to_lead(ring, &limit);
}

void ring_quiesce(struct ring *ring) {
    int64_t pause_ns = SPIN_SLEEP_NS;
    while (!take_lead(ring)) {
        /* A leader that has not sealed when the ring has failed writes nothing. It may be stuck in its copy. */
        if (ring_has_failed(ring) && atomic_load(&ring->leader) == LEADER_CLAIMED) {
            return;
        }
        ring->platform->ops->sleep_ns(ring->platform, pause_ns);
        pause_ns += pause_ns < QUIESCE_MOST_NS ? pause_ns / 4 : 0;
    }
    let_go(ring);
}

/* Spins if the commit will probably end sooner than a sleep. Returns 1 if something has changed, 0 if it is time to
 * sleep. */
static int spin(struct ring *ring, uint64_t sequence, struct limit *limit) {
    const int64_t average_ns = commit_ns(ring);
    const uint32_t most = SPINNERS_PER_CPU * ring->limits.cpus;
    if (average_ns == 0 || average_ns >= SLOW_COMMIT_NS || sleepers(ring) > most) {
        return 0;
    }
    int is_over = 0;
    if (atomic_fetch_add_explicit(&ring->spinners, 1, memory_order_relaxed) < most) {
        const int64_t spin_ns = limit_pause_ns(limit_left_ns(limit, ring->platform), SPIN_COMMITS * average_ns);
        const int64_t until_ns = platform_monotonic_ns(ring->platform) + spin_ns;
        for (int turn = 0; turn < SPIN_TURNS && !is_over && platform_monotonic_ns(ring->platform) < until_ns; turn++) {
            ring->platform->ops->yield(ring->platform);
            is_over = is_durable(ring, sequence) || ring_has_failed(ring) ||
                      (atomic_load_explicit(&ring->claim, memory_order_relaxed) & CLAIM_LED) == 0;
        }
    }
    atomic_fetch_sub_explicit(&ring->spinners, 1, memory_order_relaxed);
    return is_over;
}

/* A thread that waits for a leader to seal has slept so long for it. A leader that came alone copies its record before
 * it seals, so it may be stuck as any producer may be: the ring fails then. The sum of sleeps counts, as in commit.c.
 * Others go alone, one after the other, only if all is durable: this thread does not wait for them. */
static int may_not_wait(struct ring *ring, uint64_t sequence, const struct limit *limit, int64_t slept_ns) {
    if (is_durable(ring, sequence)) {
        return 1;
    }
    if (slept_ns >= RING_STRAGGLER_NS) {
        commit_fail_stuck(ring, atomic_load(&ring->durable_next_sequence));
    }
    return ring_has_failed(ring) || limit_is_over(limit, ring->platform);
}

/* Sleeps until the commit that concerns this sequence, or the one before it, has ended. */
static void sleep_in_group(struct ring *ring, uint64_t sequence, struct limit *limit, int64_t left_ns) {
    const uint32_t finished = atomic_load(&ring->generation[0]);
    uint64_t leader = atomic_load(&ring->leader);
    int64_t slept_ns = 0;
    for (int look = 0; leader == LEADER_CLAIMED; look++) {
        if (!leader_is_there(ring) || (look >= SPIN_LOOKS && may_not_wait(ring, sequence, limit, slept_ns))) {
            return;
        }
        spin_or_sleep(ring->platform, look);
        slept_ns += look < SPIN_LOOKS ? 0 : SPIN_SLEEP_NS;
        leader = atomic_load(&ring->leader);
    }
    if (is_durable(ring, sequence) || ring_has_failed(ring)) {
        return;
    }
    if (slept_ns > 0) {
        left_ns = limit_left_ns(limit, ring->platform); /* the naps took some of it, or all */
    }
    /* A gathering leader seals next, and everything claimed until then becomes part of its commit. */
    const int is_part = leader == LEADER_GATHERING || sequence < leader - LEADER_SEALED;
    const uint32_t last = is_part ? finished : finished + 1, word = last & 1;
    atomic_fetch_add_explicit(&ring->sleepers, 1, memory_order_relaxed);
    note_due(ring, word, last);
    ring->platform->ops->park(ring->platform, &ring->generation[word], finished, left_ns);
    atomic_fetch_sub_explicit(&ring->sleepers, 1, memory_order_relaxed);
}

/* Tells the caller that the ring has failed. Wakes all sleepers, since no commit will end any more and wake them. */
static int tell_failure(struct ring *ring) {
    wake(ring, 0, INT_MAX);
    wake(ring, 1, INT_MAX);
    return error_set(EIO, "ring %s has failed: %s", ring->path, ring->failure);
}

int leader_await(struct ring *ring, uint64_t sequence, struct limit *limit) {
    for (;;) {
        if (is_durable(ring, sequence)) {
            return 1;
        }
        if (ring_has_failed(ring)) {
            return tell_failure(ring);
        }
        const int may_lead = !limit_is_over(limit, ring->platform);
        const int has_changed = may_lead && (try_to_lead(ring, limit) || spin(ring, sequence, limit));
        const int is_failing =
            ring_is_failing(ring); /* the reason follows soon; until then a leader only wakes others */
        if (has_changed && !is_failing) {
            continue;
        }
        const int64_t left_ns = limit_left_ns(limit, ring->platform);
        if (left_ns == 0) {
            /* Perhaps this thread was woken to lead: another one must take over. */
            wake(ring, 0, 1);
            wake(ring, 1, 1);
            ring_hurry(ring);
            return 0;
        }
        if (is_failing) {
            ring->platform->ops->sleep_ns(ring->platform, limit_pause_ns(left_ns, SPIN_SLEEP_NS));
        } else {
            sleep_in_group(ring, sequence, limit, left_ns);
        }
    }
}

/* An await with a limit never leads: the committer writes, however long the write takes. */
static int await_for_a_while(struct ring *ring, uint64_t sequence, int64_t timeout_ns) {
    struct limit limit = limit_of(timeout_ns);
    if (is_durable(ring, sequence)) {
        return 1;
    }
    for (int is_asked = 0;; is_asked = 1) {
        const uint32_t ticket = event_count_register(&ring->ended);
        const int done = is_durable(ring, sequence), failed = ring_has_failed(ring);
        const int64_t left_ns = done || failed ? 0 : limit_left_ns(&limit, ring->platform);
        if (left_ns == 0) {
            event_count_leave(&ring->ended);
            return done ? 1 : failed ? tell_failure(ring) : 0;
        }
        if (!is_asked) {
            ring_hurry(ring);
        }
        event_count_wait(&ring->ended, ring->platform, ticket, left_ns);
    }
}

int ring_await_durable(struct ring *ring, uint64_t sequence, int64_t timeout_ns) {
    const uint64_t next = ring_next_sequence(ring);
    if (sequence >= next) {
        return error_set(EINVAL, "sequence %llu was never given out by ring %s: the next one is %llu",
                         (unsigned long long)sequence, ring->path, (unsigned long long)next);
    }
    if (timeout_ns >= 0) {
        return await_for_a_while(ring, sequence, timeout_ns);
    }
    struct limit limit = limit_of(-1);
    return leader_await(ring, sequence, &limit);
}

int ring_commit(struct ring *ring) {
    const uint64_t next = ring_next_sequence(ring);
    if (is_durable(ring, next - 1)) {
        return 0;
    }
    struct limit limit = limit_of(-1);
    return leader_await(ring, next - 1, &limit);
}

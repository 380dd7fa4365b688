/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event count: threads wait for a condition that other threads make true. The waiter registers, looks at the
 * condition once more, and sleeps. The notifier changes the condition, then looks for waiters. Either the notifier sees
 * the waiter, or the waiter sees the condition: no notification gets lost. Without waiters it costs a fence and a load.
 *
 * The fences order a store to one atomic word before a load of another, on both sides; they hand no plain memory over.
 * ThreadSanitizer does not know fences, but these neither hide a race from it nor make one up. An exchange of `waiters`
 * in place of the notifier's fence would be visible to it, but would pull the line of a word that hardly ever changes
 * from core to core with each append. The model wake.pml checks that no notification gets lost.
 *
 *     for (;;) {
 *         uint32_t ticket = event_count_register(&s);
 *         if (condition) { event_count_leave(&s); break; }
 *         event_count_wait(&s, platform, ticket, timeout_ns);       // also leaves
 *     }
 */
#ifndef BURST_BASE_EVENT_COUNT_H
#define BURST_BASE_EVENT_COUNT_H

#include <limits.h>

#include "base/platform.h"

struct event_count {
    _Atomic uint32_t count;
    _Atomic uint32_t waiters;
};

static inline uint32_t event_count_register(struct event_count *signal) {
    atomic_fetch_add(&signal->waiters, 1);
    const uint32_t ticket = atomic_load(&signal->count);
    /* Makes the waiter visible before it reads the condition, in whatever way it reads. */
    atomic_thread_fence(memory_order_seq_cst);
    return ticket;
}

static inline void event_count_leave(struct event_count *signal) {
    atomic_fetch_sub(&signal->waiters, 1);
}

/* Sleeps until a notification. Returns 0, or -ETIMEDOUT. */
static inline int event_count_wait(struct event_count *signal, const struct platform *platform, uint32_t ticket,
                                   int64_t timeout_ns) {
    int rc = platform->ops->park(platform, &signal->count, ticket, timeout_ns);
    event_count_leave(signal);
    return rc;
}

static inline void event_count_notify(struct event_count *signal, const struct platform *platform) {
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&signal->waiters, memory_order_relaxed) != 0) {
        atomic_fetch_add(&signal->count, 1);
        platform->ops->unpark(platform, &signal->count, INT_MAX);
    }
}

#endif

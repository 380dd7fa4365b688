/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event count: threads wait for a condition that others make true. The waiter registers, looks at the condition
 * once more, and sleeps; the notifier changes the condition, then looks for waiters. Either the notifier sees the
 * waiter or the waiter sees the condition, so nothing is missed, and notifying nobody costs a fence and a load.
 *
 *     for (;;) {
 *         uint32_t ticket = signal_register(&s);
 *         if (condition) { signal_leave(&s); break; }
 *         signal_wait(&s, platform, ticket, timeout_ns);       // also leaves
 *     }
 */
#ifndef BURST_BASE_SIGNAL_H
#define BURST_BASE_SIGNAL_H

#include <limits.h>

#include "base/platform.h"

struct signal {
    _Atomic uint32_t count;
    _Atomic uint32_t waiters;
};

static inline uint32_t signal_register(struct signal *signal) {
    atomic_fetch_add(&signal->waiters, 1);
    return atomic_load(&signal->count);
}

static inline void signal_leave(struct signal *signal) {
    atomic_fetch_sub(&signal->waiters, 1);
}

/* 0, or -ETIMEDOUT. */
static inline int signal_wait(struct signal *signal, const struct platform *platform, uint32_t ticket,
                              int64_t timeout_ns) {
    int rc = platform->ops->park(platform, &signal->count, ticket, timeout_ns);
    signal_leave(signal);
    return rc;
}

static inline void signal_notify(struct signal *signal, const struct platform *platform) {
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&signal->waiters, memory_order_relaxed) != 0) {
        atomic_fetch_add(&signal->count, 1);
        platform->ops->unpark(platform, &signal->count, INT_MAX);
    }
}

#endif

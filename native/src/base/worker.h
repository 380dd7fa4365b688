/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread of the engine's own, and the one way to have one.
 *
 * It takes no signals: those are the application's. Nobody cancels it, and nobody ends it: it is asked to, and looks whether it is
 * where it may. It may hang in the kernel for ever. So its owner waits for its end within a limit, and leaves it to itself if that is
 * over; what it uses stays until then. A forked child has no workers: its calls are refused before they wait for one.
 */
#ifndef BURST_BASE_WORKER_H
#define BURST_BASE_WORKER_H

#include <pthread.h>

#include "base/event_count.h"
#include "base/limit.h"

/* Begins as zeros. */
struct worker {
    pthread_t thread;
    void (*run)(void *argument);
    void *argument;
    _Atomic uint32_t is_stopped; /* it is asked to end; that may be so before it starts */
    _Atomic uint32_t has_ended;  /* it uses nothing any more but this */
    struct event_count ended;
};

/* The owner joins it later, or leaves it. The name has 15 characters at most. 0 or -errno with a sentence. */
int worker_start(struct worker *worker, const char *name, void (*run)(void *argument), void *argument);

/* Asks it to end, and wakes it where it sleeps. Its owner may be gone when this returns, `sleeps_at` must not. */
void worker_stop(struct worker *worker, struct event_count *sleeps_at);

static inline int worker_is_stopped(const struct worker *worker) {
    return atomic_load(&worker->is_stopped) != 0;
}

/* 1 once it has ended; 0: the limit is over. */
int worker_await_end(struct worker *worker, struct limit *limit);

/* Waits without a limit. After it the worker may be freed. */
void worker_join(struct worker *worker);

/* Nobody will join it; it may have ended. */
void worker_leave(struct worker *worker);

/* The calling thread gets the lowest priority, for CPU and disk. The host may forbid it: then it is as others. */
void worker_step_back(void);

#endif

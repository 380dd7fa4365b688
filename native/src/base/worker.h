/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread of the engine's own. The engine has no other way to start one.
 *
 * A worker takes no signals: those are the application's. Nobody cancels or ends a worker: its owner asks it to end,
 * and the worker looks whether it was asked. It may hang in the kernel for ever. So the owner waits for its end within
 * a limit, and then leaves it; everything that the worker uses stays until it ends. A forked child has no workers, and
 * its calls are refused before they would wait for one.
 */
#ifndef BURST_BASE_WORKER_H
#define BURST_BASE_WORKER_H

#include <pthread.h>

#include "base/event_count.h"
#include "base/limit.h"

/* A worker begins as zeros. */
struct worker {
    pthread_t thread;
    void (*run)(void *argument);
    void *argument;
    _Atomic uint32_t is_stopped; /* the owner asked it to end, perhaps before it started */
    _Atomic uint32_t has_ended;  /* it uses nothing any more but this struct */
    struct event_count ended;
};

/* Starts the worker; the owner joins or leaves it later. The name has at most 15 characters. Returns 0, or -errno with
 * a sentence. */
int worker_start(struct worker *worker, const char *name, void (*run)(void *argument), void *argument);

/* Starts a thread that nobody asks to end or awaits, with a name as above. It takes no signals either. Returns 0, or
 * -errno with a sentence. */
int worker_send_off(const char *name, void *(*body)(void *argument), void *argument);

/* Asks the worker to end, and wakes it if it sleeps. The worker may free itself before this returns, but not
 * `sleeps_at`. */
void worker_stop(struct worker *worker, struct event_count *sleeps_at);

static inline int worker_is_stopped(const struct worker *worker) {
    return atomic_load(&worker->is_stopped) != 0;
}

/* Returns 1 once the worker has ended, 0 when the limit is over. */
int worker_await_end(struct worker *worker, struct limit *limit);

/* Waits for its end without a limit. The caller may free the worker afterwards. */
void worker_join(struct worker *worker);

/* The caller gives up joining it. The worker may have ended already. */
void worker_leave(struct worker *worker);

/* Gives the calling thread the lowest priority for CPU and disk. If the host forbids that, the thread keeps its
 * priority. */
void worker_step_back(void);

#endif

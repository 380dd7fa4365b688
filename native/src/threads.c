/* SPDX-License-Identifier: Apache-2.0 */
#include "threads.h"

#include <errno.h>
#include <signal.h>

#include "base/error.h"

#define BUSY_LOOKS 8 /* per interval, while records come fast */

/* Looks every interval even if nobody calls, and more often while a sixteenth of the ring fills in less: then hardly any
 * append has to wake it. */
static void *drain_loop(void *argument) {
    struct log_threads *threads = argument;
    struct ring *ring = threads->engine->ring;
    int64_t pause_ns = threads->drain_interval_ns;
    while (!atomic_load(&threads->stop_drain)) {
        const uint32_t ticket = signal_register(&ring->drain);
        const uint64_t looked = atomic_load(&ring->drain_looked);
        const int sync = (int)atomic_exchange(&threads->sync_wanted, 0);
        const int rc = drain_work(threads->engine->drain, sync);
        if (rc < 0 && sync) {
            atomic_store(&threads->sync_wanted, 1);
        }
        const uint64_t moved = atomic_load(&ring->drain_looked) - looked;
        if (moved >= ring->geometry.capacity_bytes / 16) {
            pause_ns = threads->drain_interval_ns / BUSY_LOOKS;
        } else if (moved == 0) {
            pause_ns = threads->drain_interval_ns;
        }
        if (atomic_load(&threads->stop_drain)) {
            signal_leave(&ring->drain);
        } else {
            signal_wait(&ring->drain, ring->platform, ticket, pause_ns);
        }
    }
    return NULL;
}

static void *committer_loop(void *argument) {
    struct log_threads *threads = argument;
    struct ring *ring = threads->engine->ring;
    while (!atomic_load(&threads->stop_committer)) {
        const uint32_t ticket = signal_register(&ring->committer);
        if (atomic_exchange(&ring->enqueued, 0) != 0) {
            atomic_thread_fence(memory_order_seq_cst); /* the flag before the claim word: see wake_committer */
            signal_leave(&ring->committer);
            ring_commit(ring);
        } else if (atomic_load(&threads->stop_committer)) {
            signal_leave(&ring->committer);
        } else {
            signal_wait(&ring->committer, ring->platform, ticket, -1);
        }
    }
    return NULL;
}

/* Signals are the application's: these threads take none. */
static int start(pthread_t *thread, const char *name, void *(*loop)(void *), void *argument) {
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGBUS); /* of a mapped ring: blocked, it could not be handled, and would end the process */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int rc = pthread_create(thread, NULL, loop, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0) {
        return error_set(rc, "the thread %s cannot be started: %s", name, error_name(rc));
    }
    pthread_setname_np(*thread, name);
    return 0;
}

int threads_start(struct log_threads *threads, struct engine *engine, int64_t drain_interval_ns) {
    threads->engine = engine;
    threads->drain_interval_ns = drain_interval_ns;
    int rc = start(&threads->drain, "burst-drain", drain_loop, threads);
    if (rc == 0) {
        rc = start(&threads->committer, "burst-commit", committer_loop, threads);
        if (rc < 0) {
            threads_stop_drain(threads);
        }
    }
    return rc;
}

void threads_stop_committer(struct log_threads *threads) {
    atomic_store(&threads->stop_committer, 1);
    signal_notify(&threads->engine->ring->committer, threads->engine->parts.platform);
    pthread_join(threads->committer, NULL);
}

void threads_stop_drain(struct log_threads *threads) {
    atomic_store(&threads->stop_drain, 1);
    signal_notify(&threads->engine->ring->drain, threads->engine->parts.platform);
    pthread_join(threads->drain, NULL);
}

void threads_ask_sync(struct log_threads *threads) {
    atomic_store(&threads->sync_wanted, 1);
    signal_notify(&threads->engine->ring->drain, threads->engine->parts.platform);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two threads of an open log: the drain, and the committer of enqueued records.
 *
 * The two also close the log, since only they may wait for media as long as these take. When it is told to stop, the
 * committer commits what is left and ends. The drain ends its step and calls host.last, which waits for the committer and
 * lets go of everything. The caller of the close waits for that as long as it wants.
 */
#ifndef BURST_THREADS_H
#define BURST_THREADS_H

#include "base/worker.h"
#include "log/engine.h"

#define COMMITTER_DELAY_MOST_NS 1000000000ll

struct thread_settings {
    int64_t drain_interval_ns;
    int64_t batch_delay_ns;   /* 0: the committer commits at once */
    uint64_t batch_bytes;     /* 0: the committer always waits that long */
    uint32_t committer_spins; /* the committer never sleeps */
};

/* The owner of the threads. */
struct thread_host {
    void *argument;
    void (*look)(void *argument); /* before each step of the drain; NULL: there is nothing to look at */
    /* How long the drain may pause after it, at most pause_ns; NULL: so long. */
    int64_t (*pause_ns)(const void *argument, int64_t pause_ns);
    void (*last)(void *argument); /* the drain calls it at its end */
};

struct log_threads {
    struct engine *engine;
    struct thread_settings settings;
    struct worker drain;          /* the close joins it, or leaves it */
    struct worker committer;      /* host.last joins it */
    _Atomic uint32_t sync_wanted; /* a caller waits for the log file: the drain syncs in its next step */
    struct thread_host host;
};

/* Starts both threads. Returns 0, or -errno with a sentence and no thread running. */
int threads_start(struct log_threads *threads, struct engine *engine, const struct thread_settings *settings,
                  const struct thread_host *host);

/* Tells both to stop. No claim may succeed any more. */
void threads_stop(struct log_threads *threads);

/* Ends the drain alone, without host.last. */
void threads_stop_drain(struct log_threads *threads);

/* Makes the drain sync and checkpoint now. */
void threads_ask_sync(struct log_threads *threads);

#endif

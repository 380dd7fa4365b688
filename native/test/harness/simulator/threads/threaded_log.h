/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log with its threads in a simulated world: the close, the calls and the threads of log/ as they are in production, with
 * the world for a platform and simulated threads for real ones. Calls of writers go through here and are judged: what
 * they return, when, and what it means for the record.
 */
#ifndef BURST_TEST_SIMULATOR_THREADED_LOG_H
#define BURST_TEST_SIMULATOR_THREADED_LOG_H

#include "log/log.h"
#include "harness/simulator/threads/ledger.h"
#include "harness/simulator/threads/sim_threads.h"

#define WRITERS_AT_ONCE_MAX 4u
#define INTERVAL_USUAL_NS 100000000ll
#define INTERVAL_NEVER_NS 86400000000000ll /* the drain looks only when it is asked */

/* What the simulated threads of a run do. */
struct program {
    const char *name;
    int small; /* few enough decisions to try them all */
    unsigned blocks;
    unsigned write_depth;
    uint32_t on_full;
    int64_t block_timeout_ns;
    int64_t drain_interval_ns;
    void (*body)(void); /* by the first thread; the log is open, and must be closed by somebody */
};

extern const struct program programs[];
extern const size_t program_count;

struct run {
    const struct program *program;
    uint64_t seed;
    struct world *world;
    struct schedule schedule;
    struct ledger ledger;
    burst_t log;
    struct ring *ring; /* NULL: not open yet, or over */
    uint64_t random_state;
    unsigned slow_in; /* one in so many operations takes time; 0: none does */
    int64_t slow_ns;
    int started; /* from here on decisions and crashes count */
    int closing, closed, device_closed;
    int64_t left;                 /* what close returned */
    uint64_t watermark, released; /* as last seen */
    int failed;
    uint64_t failed_at;
    int64_t enqueued[WRITERS_MAX * ENTRIES_MAX]; /* sequences of what was accepted, and not waited for */
    unsigned enqueued_count;
};

extern struct run run;

/* One schedule of run.program, with run.seed and run.schedule as they are set. Ends the program at a violation. */
void run_schedule(int trace);

uint64_t run_random(uint64_t below);

/* The calls of a writer. They return what the API returned. */
int64_t writer_append(unsigned writer, uint32_t length);
int64_t writer_enqueue(unsigned writer, uint32_t length);
int64_t writer_offer(unsigned writer, uint32_t length);
int writer_await(unsigned writer, int64_t timeout_ns);         /* its last sequence */
int writer_await_drained(unsigned writer, int64_t timeout_ns); /* all of its records */
int run_flush(int64_t timeout_ns);                             /* everybody's */
int64_t run_close(void);

#endif

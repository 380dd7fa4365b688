/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log with its threads in a simulated world. Close, calls and threads of log/ are those of production; the world is
 * the platform, and simulated threads take the place of real ones. Writers call these functions, which judge each call:
 * its answer, its time, and what both mean for the record.
 */
#ifndef BURST_TEST_SIMULATOR_THREADED_LOG_H
#define BURST_TEST_SIMULATOR_THREADED_LOG_H

#include "log/log.h"
#include "harness/simulator/threads/ledger.h"
#include "harness/simulator/threads/sim_threads.h"

#define WRITERS_AT_ONCE_MAX 4u
#define INTERVAL_USUAL_NS 100000000ll
#define INTERVAL_NEVER_NS 86400000000000ll /* the drain works only when it is asked */

/* A program for the simulated threads of a run. */
struct program {
    const char *name;
    int small; /* has so few decisions that all can be tried */
    unsigned blocks;
    unsigned write_depth;
    uint32_t on_full;
    int64_t block_timeout_ns;
    int64_t drain_interval_ns;
    void (*body)(void); /* runs in the first thread with the log open; some thread must close it */
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
    struct ring *ring; /* NULL: not open yet, or closed */
    uint64_t random_state;
    unsigned slow_in; /* one in so many operations takes time; 0: none does */
    int64_t slow_ns;
    int started; /* from here on decisions and crashes count */
    int closing, closed, device_closed;
    int64_t left;                 /* what close returned */
    uint64_t watermark, released; /* as last seen */
    int failed;
    uint64_t failed_at;
    int64_t enqueued[WRITERS_MAX * ENTRIES_MAX]; /* sequences of enqueued and offered records */
    unsigned enqueued_count;
};

extern struct run run;

/* Runs one schedule of run.program, by run.seed and run.schedule. Ends the program at a violation. */
void run_schedule(int trace);

uint64_t run_random(uint64_t below);

/* A writer's calls. They return what the API returned. */
int64_t writer_append(unsigned writer, uint32_t length);
int64_t writer_enqueue(unsigned writer, uint32_t length);
int64_t writer_offer(unsigned writer, uint32_t length);
int writer_await(unsigned writer, int64_t timeout_ns);         /* its last sequence */
int writer_await_drained(unsigned writer, int64_t timeout_ns); /* all of its records */
int run_flush(int64_t timeout_ns);                             /* everybody's */
int64_t run_close(void);

#endif

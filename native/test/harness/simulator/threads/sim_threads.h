/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulated threads: coroutines that run the production engine and switch only where it calls the platform (park, wake,
 * sleep), begins an operation of device or file system, or starts or joins a thread. The schedule says who goes on.
 * The clock moves only when everybody sleeps, to the nearest deadline; if nobody has one, that is a deadlock. A seed may
 * also let parks end for no reason, and a deadline pass while somebody who could run has not come to it.
 *
 * Orderings within the stretches between these points are not reachable here: above all a producer is never away between
 * its claim and its publication. Those are the model's and ThreadSanitizer's part.
 */
#ifndef BURST_TEST_SIMULATOR_SIM_THREADS_H
#define BURST_TEST_SIMULATOR_SIM_THREADS_H

#include <ucontext.h>

#include "harness/simulator/threads/schedule.h"
#include "harness/simulator/world.h"

enum sim_thread_state { SIM_READY, SIM_PARKED, SIM_ASLEEP, SIM_JOINING, SIM_DONE };

struct sim_thread {
    ucontext_t context;
    uint8_t *stack;
    enum sim_thread_state state;
    const char *name;
    void *(*run)(void *);
    void *argument;
    const _Atomic uint32_t *word; /* PARKED */
    unsigned joins;               /* JOINING */
    int64_t deadline_ns;
    int timed_out;
    const char *at; /* where it switched last */
};

struct sim_threads {
    struct world *world;
    struct schedule *schedule;
    struct sim_thread threads[SCHEDULE_THREADS_MAX];
    unsigned count;
    unsigned running;
    ucontext_t outside;
    void (*errand)(void);       /* to be run outside while all stand still */
    void (*watch)(void);        /* at every point */
    uint64_t points;            /* of this run */
    uint64_t switches;          /* of all runs */
    int64_t progress_ns;        /* when a call of the log last returned */
    unsigned wakes_for_nothing; /* still to be handed out: a park may end without a reason */
    unsigned late_in;           /* in one of so many points time passes though somebody could run; 0: never */
    int late_decided;           /* whether time passes before who was woken comes to it is a decision of the schedule */
    uint64_t random_state;      /* for when */
    int trace;
};

extern struct sim_threads sim_threads;

/* Runs `body` as the first thread until all threads are done. */
void sim_threads_run(struct world *world, struct schedule *schedule, void *(*body)(void *));

/* By the running thread. */
unsigned sim_thread_start(const char *name, void *(*run)(void *), void *argument);
void sim_thread_join(unsigned thread);
void sim_thread_yield(const char *at);
void sim_thread_sleep(const char *at, int64_t duration_ns);
/* Runs it outside of all threads, on the program's own stack. */
void sim_thread_errand(void (*errand)(void));

/* One line for each thread: what it waits for. */
void sim_threads_describe(char *text, size_t text_bytes);

#endif

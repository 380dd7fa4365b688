/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulated threads: coroutines that run the production engine. They switch only where it calls the platform (park,
 * wake, sleep), begins an operation of device or file system, or starts or joins a thread. The schedule says which one
 * goes on. The clock moves only when all threads sleep, to the nearest deadline; if there is none, that is a deadlock.
 * A seed may also end parks for no reason, and let a deadline pass before a thread runs that could.
 *
 * The simulator never switches between these points. Above all, no producer is away between its claim and its
 * publication. The model and ThreadSanitizer look at that.
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
    unsigned process;
    int stands_still; /* its process was stopped: it is not ready, whatever its state says */
    int is_gone;      /* it was joined, or ended with its process: another thread may take its place */
};

struct sim_threads {
    struct world *world;
    struct schedule *schedule;
    struct sim_thread threads[SCHEDULE_THREADS_MAX];
    unsigned count;
    unsigned running;
    ucontext_t outside;
    void (*errand)(void);       /* runs outside of all threads, while they stand still */
    void (*watch)(void);        /* at every point */
    uint64_t points;            /* of this run */
    uint64_t switches;          /* of all runs */
    int64_t progress_ns;        /* when a call of the log last returned */
    unsigned wakes_for_nothing; /* so many parks may still end for no reason */
    unsigned late_in;           /* in one of so many points time passes though a thread could run; 0: never */
    int late_decided;           /* the schedule decides whether time passes before a woken thread runs */
    unsigned in_kernel;         /* so many calls end before time passes for a thread that is late */
    uint64_t random_state;      /* for when */
    int trace;
};

extern struct sim_threads sim_threads;

/* Runs `body` as the first thread until all threads are done. */
void sim_threads_run(struct world *world, struct schedule *schedule, void *(*body)(void *));

/* All threads of the process vanish where they are; or they stand still, and go on. The running thread may be one of them: it
 * vanishes at once, and stands still from its next switch on. */
void sim_threads_vanish(unsigned process);
void sim_threads_stand_still(unsigned process, int still);

/* The running thread calls these. */
unsigned sim_thread_start_in(unsigned process, const char *name, void *(*run)(void *), void *argument);
unsigned sim_thread_start(const char *name, void *(*run)(void *), void *argument);
void sim_thread_join(unsigned thread);
void sim_thread_yield(const char *at);
void sim_thread_sleep(const char *at, int64_t duration_ns);
/* Runs the errand on the program's own stack, outside of all threads. */
void sim_thread_errand(void (*errand)(void));

/* One line for each thread: what it waits for. */
void sim_threads_describe(char *text, size_t text_bytes);

#endif

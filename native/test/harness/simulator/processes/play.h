/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A play: an application, and what an operator does with its drains. A run of it has one order of steps, and at most two
 * deaths or standstills, each at one of its steps. Behind it the log files must hold each acknowledged record once, in
 * order, moved by drains alone; then a log that drains by itself opens the ring.
 */
#ifndef BURST_TEST_SIMULATOR_PLAY_H
#define BURST_TEST_SIMULATOR_PLAY_H

#include "harness/simulator/processes/application.h"

enum operator_does { DOES_NOTHING, STARTS, ENDS, KILLS, STOPS, LETS_GO_ON, DELETES_LOCK_FILES };

struct operator_act {
    int64_t at_ms;
    enum operator_does does;
    enum process_name process;
};

#define ACTS_MAX 8u

struct play {
    const char *name;
    unsigned blocks;
    void (*application)(void); /* what it does in each life, until it has done all */
    const char *other_folder;  /* of the lock file of the other drain */
    struct operator_act acts[ACTS_MAX];
};

#define WORKS_MAX 8192u

extern const struct play plays[];
extern const size_t play_count;

enum fault { FAULT_NONE, FAULT_DEATH, FAULT_DEATH_OF_ALL, FAULT_STANDSTILL, FAULTS };

struct play_run {
    const struct play *play;
    uint64_t seed;
    enum fault fault;
    uint64_t at;       /* the fault comes at this step of the run */
    uint64_t power_in; /* before one in so many steps the power is cut, in a copy of the world; 0: never */
    int trace;
    /* The run gives these. */
    uint64_t steps, cuts;
    uint64_t works[WORKS_MAX]; /* steps at which a process does not only look whether there is something to do */
    uint64_t work_count;
    uint64_t deaths, standstills;
    uint64_t lives;   /* of all processes */
    uint64_t takes;   /* so often the log began to drain by itself */
    uint64_t stopped; /* so many drains ended because of another one's slot */
    int log_drains;
    struct schedule schedule;
    struct world *world;
    uint64_t random_state;
};

extern struct play_run run;

/* Runs it once. Ends the program at a violation. */
void play_once(void);

uint64_t run_random(uint64_t below);

#endif

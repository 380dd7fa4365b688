/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes share work: a case that crashes or hangs takes only its process along. It is reported, and the next process
 * continues behind it.
 */
#ifndef BURST_TEST_FAULTS_POOL_H
#define BURST_TEST_FAULTS_POOL_H

#include "cases.h"

#define WORKERS_MAX 16

/* Items 0..count-1. Each has any number of steps. */
struct pool_work {
    uint32_t count;
    int is_least; /* all of it is run, however long that takes */
    /* Runs one step; returns 1 if the item has further steps. The trial is in shared memory. */
    int (*step)(uint32_t item, uint32_t step, struct trial *trial);
};

/* The workers' figures, in shared memory. */
struct pool_figures {
    _Atomic uint64_t cases;
    _Atomic uint64_t violations;
    _Atomic uint32_t hits[POINTS];
};

/* Comes before all other calls of this header. */
void pool_begin(const char *program, int seconds);
struct pool_figures *pool_figures(void);
void *pool_memory(size_t bytes); /* shared with all workers */

/* A step calls the one before it runs a case, and the other one after. */
void pool_begin_case(const struct fault_case *fault_case);
void pool_end_case(const struct trial *trial);

/* Runs the work. 1: all of it; 0: the time was over first. */
int pool_run(const char *what, const struct pool_work *work);

/* Runs the body in a child, on a stage of its own. */
int pool_run_alone(void (*body)(struct trial *trial, void *argument), void *argument);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the threads and the image of a log shall be. Nonsensical values fail the open before anything is touched.
 * Settings that the host forbids are skipped with a warning event.
 */
#ifndef BURST_PLACEMENT_H
#define BURST_PLACEMENT_H

#include "base/cpulist.h"
#include "base/error.h"
#include "burstlog.h"
#include "log/threads.h"

struct placement {
    struct cpulist drain_cpus;     /* empty: all that the process may run on */
    struct cpulist committer_cpus; /* the same */
    int priority;                  /* of the committer under SCHED_FIFO; 0: ordinary scheduling */
    int committer_spins;           /* it then gets its priority only if it could be put on its CPUs */
    int small_pages;
    int is_wanted; /* any of these differs from its default */
};

/* Adds to the errors a sentence for each value that cannot be used: the value, and what this host has. */
void placement_read(const burst_config_t *config, struct placement *placement, struct error_list *errors);

/* Chooses pages and node of the image. Call it before the image is made. */
void placement_of_image(const struct placement *placement, struct device *device);

/* Puts the running threads on their CPUs, and tells the result in one event if anything was asked for. */
void placement_of_threads(const struct placement *placement, const struct log_threads *threads);

#endif

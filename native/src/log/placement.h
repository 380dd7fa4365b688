/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the threads and the image of a log shall be. A value that cannot be meant is refused before anything is touched;
 * what only the host does not allow is done without, and told.
 */
#ifndef BURST_PLACEMENT_H
#define BURST_PLACEMENT_H

#include "base/cpulist.h"
#include "base/error.h"
#include "burstlog.h"
#include "log/threads.h"

struct placement {
    struct cpulist drain_cpus;     /* empty: wherever the process may run */
    struct cpulist committer_cpus; /* the same */
    int priority;                  /* of the committer under SCHED_FIFO; 0: as everybody */
    int committer_spins;           /* then it has a priority only where it could be put on its CPUs */
    int small_pages;
    int is_wanted; /* any of it */
};

/* Adds to the errors a sentence for each value that cannot be used; it names the value and what there is. */
void placement_read(const burst_config_t *config, struct placement *placement, struct error_list *errors);

/* Before the image is made. */
void placement_of_image(const struct placement *placement, struct device *device);

/* Puts the running threads where they belong, and tells in one event what came of it all if anything was wanted. */
void placement_of_threads(const struct placement *placement, const struct log_threads *threads);

#endif

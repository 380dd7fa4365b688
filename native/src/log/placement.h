/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places of a log's threads and image. Senseless values fail the open before it touches anything. If the host
 * forbids a setting, the open goes on without it, with a WARN event.
 */
#ifndef BURST_PLACEMENT_H
#define BURST_PLACEMENT_H

#include "base/cpulist.h"
#include "base/error.h"
#include "burstlog.h"
#include "log/threads.h"

struct placement {
    struct cpulist drain_cpus;     /* empty: all CPUs of the process */
    struct cpulist committer_cpus; /* empty: all CPUs of the process */
    int priority;                  /* of the committer under SCHED_FIFO; 0: ordinary scheduling */
    int committer_spins;           /* the committer spins; it gets its priority only if it could be put on its CPUs */
    int small_pages;
    int is_wanted; /* a setting differs from its default */
};

/* Reads the settings. Adds to the errors a sentence for each that cannot be used: its value, and what this host has. */
void placement_read(const burst_config_t *config, struct placement *placement, struct error_list *errors);

/* Chooses pages and node of the image. Call it before the image is made. */
void placement_of_image(const struct placement *placement, struct device *device);

/* Puts the running threads on their CPUs. Tells the result in one event if any setting was given. */
void placement_of_threads(const struct placement *placement, const struct log_threads *threads);

#endif

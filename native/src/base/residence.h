/* SPDX-License-Identifier: Apache-2.0 */
/* Where the kernel keeps the image of a ring, and on which CPUs a thread may run. */
#ifndef BURST_BASE_RESIDENCE_H
#define BURST_BASE_RESIDENCE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cpulist.h"

struct image_residence {
    uint64_t bytes;
    uint64_t locked_bytes; /* bytes that cannot be swapped out */
    uint64_t huge_bytes;   /* bytes in huge pages */
    char nodes[64];        /* the NUMA nodes that hold the image: "0"; "" if the kernel does not tell */
};

/*
 * Finds the image of so many bytes in a process: the mapping of that size that no child inherits. `process` is
 * /proc/PID or /proc/self. Returns 0, -ENOENT if there is none, or another -errno if the process cannot be looked at.
 */
int image_residence_of(const char *process, uint64_t image_bytes, struct image_residence *residence);

/* Writes a text such as "locked, 64 of 64 MiB in huge pages, NUMA node 0". */
void image_residence_tell(const struct image_residence *residence, char *text, size_t text_bytes);

struct thread_residence {
    struct cpulist cpus; /* the CPUs on which it may run */
    int policy;          /* SCHED_OTHER, .. */
    int priority;        /* 1..99 under SCHED_FIFO and SCHED_RR, else 0 */
};

/* Reads it for any thread of any process. Returns 0 or -errno. */
int thread_residence_of(pid_t thread, struct thread_residence *residence);

/* Writes a text such as "CPU 3-5, SCHED_FIFO priority 10". */
void thread_residence_tell(const struct thread_residence *residence, char *text, size_t text_bytes);

#endif

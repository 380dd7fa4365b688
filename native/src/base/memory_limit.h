/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory the control groups let this process have. Beyond that the kernel kills the process without a word. */
#ifndef BURST_BASE_MEMORY_LIMIT_H
#define BURST_BASE_MEMORY_LIMIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/platform.h"

#define MEMORY_UNLIMITED UINT64_MAX
#define MEMORY_LIMIT_FILE_BYTES 320

/* The lowest of each figure, over the process's group and the groups above it. */
struct memory_limit {
    uint64_t limit_bytes; /* MEMORY_UNLIMITED: there is no limit, or nobody knows it */
    /* The process gets this much without taking memory in use: the limit less what is used, plus inactive file cache. */
    uint64_t left_bytes;
    uint64_t most_bytes;                /* left_bytes, and all memory that the kernel may take back or swap out */
    char file[MEMORY_LIMIT_FILE_BYTES]; /* the file that says limit_bytes: "/sys/fs/cgroup/memory.max" */
};

/* Reads the limits of this process, from cgroup v2 and v1. root: "", or a folder that has a recorded machine's /proc
 * and /sys. */
void memory_limit_read(const char *root, struct memory_limit *limit);

/* Asks the platform for the limits. */
void memory_limit_of(const struct platform *platform, struct memory_limit *limit);

enum memory_verdict {
    MEMORY_FITS,
    MEMORY_IS_SHORT,  /* the process takes memory that others of the group use or may need */
    MEMORY_IS_LACKING /* the kernel kills the process when it takes so much */
};

enum memory_verdict memory_limit_judge(const struct memory_limit *limit, uint64_t bytes);

/*
 * Checks whether the process can take so many bytes for good. `what` names their use in the sentence: "ring" or the
 * like. Returns MEMORY_FITS or MEMORY_IS_SHORT, or -ENOMEM with a sentence. *limit: the limits that were found.
 */
int memory_limit_check(const struct platform *platform, const char *what, const char *path, uint64_t bytes,
                       struct memory_limit *limit);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory the control groups let this process have: beyond that the kernel kills it, without a word. */
#ifndef BURST_BASE_MEMORY_LIMIT_H
#define BURST_BASE_MEMORY_LIMIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/platform.h"

#define MEMORY_UNLIMITED UINT64_MAX
#define MEMORY_LIMIT_FILE_BYTES 320

/* Of the process's group and those above it the lowest of each figure. */
struct memory_limit {
    uint64_t limit_bytes; /* MEMORY_UNLIMITED: there is no limit, or it is not known */
    uint64_t left_bytes;  /* without taking what is in use: the limit less what is used, and file cache that rests */
    uint64_t
        most_bytes; /* that there can be for one who asks: that, and all that the kernel may take back or swap out */
    char file[MEMORY_LIMIT_FILE_BYTES]; /* that says limit_bytes: "/sys/fs/cgroup/memory.max" */
};

/* Of this process, as cgroup v2 and v1 say it. root: "", or the folder of a recorded machine's /proc and /sys. */
void memory_limit_read(const char *root, struct memory_limit *limit);

/* As the platform says it. */
void memory_limit_of(const struct platform *platform, struct memory_limit *limit);

enum memory_verdict {
    MEMORY_FITS,
    MEMORY_IS_SHORT,  /* it takes what others of the group use, or may need */
    MEMORY_IS_LACKING /* taking it kills the process */
};

enum memory_verdict memory_limit_judge(const struct memory_limit *limit, uint64_t bytes);

/*
 * Before so many bytes are taken for good, for what the sentence calls `what`, "ring" or the like. MEMORY_FITS or
 * MEMORY_IS_SHORT; or -ENOMEM with a sentence. *limit: what there is.
 */
int memory_limit_check(const struct platform *platform, const char *what, const char *path, uint64_t bytes,
                       struct memory_limit *limit);

#endif

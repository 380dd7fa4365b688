/* SPDX-License-Identifier: Apache-2.0 */
/* Writing cache lines back to memory, with the best instruction that the processor has. */
#ifndef BURST_DEVICE_WRITEBACK_H
#define BURST_DEVICE_WRITEBACK_H

#include <stddef.h>
#include <stdint.h>

struct writeback {
    const char *name; /* "clwb" */
    /* Writes the range back. On return each of its lines is on its way out of the caches, and nothing stored later gets
     * out before: on persistent memory the range then survives loss of power. */
    void (*range)(const void *data, size_t bytes);
};

enum writeback_features {
    WRITEBACK_FLUSH = 1,           /* x86-64: clflush. aarch64: dc cvac */
    WRITEBACK_FLUSH_OPTIMIZED = 2, /* x86-64: clflushopt */
    WRITEBACK_KEEP = 4,            /* x86-64: clwb, which leaves the line in the cache */
    WRITEBACK_PERSIST = 8,         /* aarch64: dc cvap, which goes to the point of persistence */
};

/* Chooses the best that the features (enum writeback_features, or'ed) allow; NULL if there is none. */
const struct writeback *writeback_choose(uint32_t features);

/* For a mapping that has to survive only the process: its lines may stay in the caches. Touches each page of the range,
 * so that a lost page is noticed. */
extern const struct writeback writeback_none;

/* The features of this processor. */
uint32_t writeback_features_here(void);

#endif

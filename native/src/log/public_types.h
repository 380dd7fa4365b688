/* SPDX-License-Identifier: Apache-2.0 */
/* Structs of burstlog.h under the names that the rooms below use. public_types.c asserts that they are equal. */
#ifndef BURST_LOG_PUBLIC_TYPES_H
#define BURST_LOG_PUBLIC_TYPES_H

#include "base/histogram.h"
#include "burstlog.h"

_Static_assert(offsetof(burst_histogram_t, max_ns) - offsetof(burst_histogram_t, count) ==
                       offsetof(struct histogram, max_ns) &&
                   offsetof(burst_histogram_t, counts) - offsetof(burst_histogram_t, count) ==
                       offsetof(struct histogram, counts) &&
                   sizeof(burst_histogram_t) - offsetof(burst_histogram_t, count) == sizeof(struct histogram),
               "a burst_histogram_t ends with a struct histogram");

static inline struct histogram *log_histogram_in(burst_histogram_t *histogram) {
    return (struct histogram *)&histogram->count;
}

static inline struct histogram_figures *log_figures_in(burst_stage_stats_t *stats) {
    return (struct histogram_figures *)stats;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Times in a log-linear histogram: 16 buckets for each power of two, so that no figure is off by more than 1/16. */
#ifndef BURST_CLI_HISTOGRAM_H
#define BURST_CLI_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_LINEAR_BITS 4
#define HISTOGRAM_BUCKETS ((64 - HISTOGRAM_LINEAR_BITS + 1) << HISTOGRAM_LINEAR_BITS)

struct histogram {
    uint64_t count;
    uint64_t max;
    uint64_t buckets[HISTOGRAM_BUCKETS];
};

static inline unsigned histogram_bucket(uint64_t value) {
    if (value < 1u << HISTOGRAM_LINEAR_BITS) {
        return (unsigned)value;
    }
    const unsigned shift = 63u - (unsigned)__builtin_clzll(value) - HISTOGRAM_LINEAR_BITS;
    return (shift << HISTOGRAM_LINEAR_BITS) + (unsigned)(value >> shift);
}

/* The highest value that falls into the bucket. */
static inline uint64_t histogram_top(unsigned bucket) {
    if (bucket < 2u << HISTOGRAM_LINEAR_BITS) {
        return bucket;
    }
    const unsigned shift = (bucket >> HISTOGRAM_LINEAR_BITS) - 1;
    const uint64_t leading = (bucket & ((1u << HISTOGRAM_LINEAR_BITS) - 1)) + (1u << HISTOGRAM_LINEAR_BITS);
    return (leading << shift) + ((1ull << shift) - 1);
}

static inline void histogram_add(struct histogram *histogram, uint64_t value) {
    histogram->count++;
    histogram->buckets[histogram_bucket(value)]++;
    histogram->max = value > histogram->max ? value : histogram->max;
}

/* The least value that so many percent of all do not exceed, rounded up to its bucket; 0 if there are none. */
static inline uint64_t histogram_percentile(const struct histogram *histogram, double percent) {
    const double wanted = (double)histogram->count * percent / 100;
    uint64_t seen = 0;
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        seen += histogram->buckets[bucket];
        if (seen > 0 && (double)seen >= wanted) {
            const uint64_t top = histogram_top(bucket);
            return top < histogram->max ? top : histogram->max;
        }
    }
    return histogram->max;
}

#endif

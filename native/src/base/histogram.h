/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram of times. Its buckets are those of an HdrHistogram with lowest value 1 and 2 significant digits: one for
 * each value up to 255, then 128 for each power of two, so that no figure is off by more than 1/128. Any number of
 * threads may record and read at the same time. Only histogram_copy fills the field `count`.
 */
#ifndef BURST_BASE_HISTOGRAM_H
#define BURST_BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_LINEAR_BITS 7u
#define HISTOGRAM_VALUE_BITS 37u /* the last bucket holds all values from 2^37 on (137 s) */
#define HISTOGRAM_BUCKETS ((HISTOGRAM_VALUE_BITS - HISTOGRAM_LINEAR_BITS + 1) << HISTOGRAM_LINEAR_BITS)

struct histogram {
    uint64_t count; /* sum of all buckets */
    uint64_t max_ns;
    uint64_t counts[HISTOGRAM_BUCKETS];
};

/* All 0 while nothing is recorded. */
struct histogram_figures {
    uint64_t count;
    uint64_t mean_ns;
    uint64_t p50_ns;
    uint64_t p99_ns;
    uint64_t p999_ns;
    uint64_t p9999_ns;
    uint64_t max_ns;
};

static inline unsigned histogram_bucket(uint64_t value) {
    if (value >> HISTOGRAM_VALUE_BITS != 0) {
        return HISTOGRAM_BUCKETS - 1;
    }
    if (value < 1u << HISTOGRAM_LINEAR_BITS) {
        return (unsigned)value;
    }
    const unsigned shift = 63u - (unsigned)__builtin_clzll(value) - HISTOGRAM_LINEAR_BITS;
    return (shift << HISTOGRAM_LINEAR_BITS) + (unsigned)(value >> shift);
}

/* The highest value of the bucket. */
static inline uint64_t histogram_top(unsigned bucket) {
    if (bucket < 2u << HISTOGRAM_LINEAR_BITS) {
        return bucket;
    }
    const unsigned shift = (bucket >> HISTOGRAM_LINEAR_BITS) - 1;
    const uint64_t leading = (bucket & ((1u << HISTOGRAM_LINEAR_BITS) - 1)) + (1u << HISTOGRAM_LINEAR_BITS);
    return (leading << shift) + ((1ull << shift) - 1);
}

/* The maximum rises first: a reader that sees the new count then looks as far as its bucket. */
static inline void histogram_record(struct histogram *histogram, uint64_t value) {
    uint64_t max = __atomic_load_n(&histogram->max_ns, __ATOMIC_RELAXED);
    while (value > max &&
           !__atomic_compare_exchange_n(&histogram->max_ns, &max, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    __atomic_fetch_add(&histogram->counts[histogram_bucket(value)], 1, __ATOMIC_RELEASE);
}

uint64_t histogram_count(const struct histogram *histogram);

/* The least value that so many percent of all do not exceed, rounded up to the top of its bucket; 0 in an empty
 * histogram. */
uint64_t histogram_percentile(const struct histogram *histogram, double percent);

/* Each figure may or may not include values recorded meanwhile. */
void histogram_summarize(const struct histogram *histogram, struct histogram_figures *figures);

/* Copies the buckets, and sets to->count to their sum. */
void histogram_copy(const struct histogram *histogram, struct histogram *to);

/* Takes out what an earlier copy of the same histogram had, so that only later values are left. The maximum is then the
 * top of the highest bucket that is left, and at most the old maximum. */
void histogram_subtract(struct histogram *copy, const struct histogram *earlier);

/* Adds the counts of another copy. */
void histogram_add(struct histogram *copy, const struct histogram *other);

#endif

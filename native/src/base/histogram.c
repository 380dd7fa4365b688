/* SPDX-License-Identifier: Apache-2.0 */
#include "base/histogram.h"

#define ONE_ULP_LESS (1 - 0x1p-52) /* so that 99.9 percent of 1000 are 999 even if the product is rounded up */

static uint64_t count_in(const struct histogram *histogram, unsigned bucket) {
    return __atomic_load_n(&histogram->counts[bucket], __ATOMIC_ACQUIRE);
}

static uint64_t max_of(const struct histogram *histogram) {
    return __atomic_load_n(&histogram->max_ns, __ATOMIC_RELAXED);
}

/* The first bucket behind which all buckets are empty. */
static unsigned end_of(const struct histogram *histogram) {
    return histogram_bucket(max_of(histogram)) + 1;
}

/* The value that stands for a bucket: its highest one, but never above the maximum. For the last bucket it is the
 * maximum. */
static uint64_t told_of(const struct histogram *histogram, unsigned bucket) {
    const uint64_t top = histogram_top(bucket), max = max_of(histogram);
    return top < max && bucket < HISTOGRAM_BUCKETS - 1 ? top : max;
}

static double middle_of(unsigned bucket) {
    const uint64_t top = histogram_top(bucket), bottom = bucket == 0 ? 0 : histogram_top(bucket - 1) + 1;
    return (double)(bottom + (top - bottom + 1) / 2);
}

/* Returns the count. Sets *sum, unless sum is NULL, to the sum that the values would have in the middles of their
 * buckets. */
static uint64_t add_up(const struct histogram *histogram, double *sum) {
    const unsigned end = end_of(histogram);
    uint64_t count = 0;
    for (unsigned bucket = 0; bucket < end; bucket++) {
        const uint64_t here = count_in(histogram, bucket);
        count += here;
        if (here > 0 && sum != NULL) {
            *sum += (double)here * middle_of(bucket);
        }
    }
    return count;
}

/* Finds the values of rising percentiles, in a histogram of `count` values. */
static void find_percentiles(const struct histogram *histogram, uint64_t count, const double *percents, unsigned wanted,
                             uint64_t *figures) {
    const unsigned end = end_of(histogram);
    unsigned found = 0;
    uint64_t seen = 0;
    for (unsigned bucket = 0; bucket < end && found < wanted; bucket++) {
        seen += count_in(histogram, bucket);
        while (found < wanted && seen > 0 && (double)seen >= (double)count * (percents[found] * ONE_ULP_LESS) / 100) {
            figures[found++] = told_of(histogram, bucket);
        }
    }
    for (; found < wanted; found++) {
        figures[found] = max_of(histogram);
    }
}

uint64_t histogram_count(const struct histogram *histogram) {
    return add_up(histogram, NULL);
}

uint64_t histogram_percentile(const struct histogram *histogram, double percent) {
    uint64_t figure;
    find_percentiles(histogram, add_up(histogram, NULL), &percent, 1, &figure);
    return figure;
}

void histogram_summarize(const struct histogram *histogram, struct histogram_figures *figures) {
    static const double percents[] = {50, 99, 99.9, 99.99};
    uint64_t told[4];
    double sum = 0;
    const uint64_t count = add_up(histogram, &sum);
    find_percentiles(histogram, count, percents, 4, told);
    const uint64_t max = max_of(histogram), mean = count == 0 ? 0 : (uint64_t)(sum / (double)count + 0.5);
    *figures = (struct histogram_figures){
        .count = count,
        .mean_ns = mean < max ? mean : max, /* the values may lie in the lower halves of their buckets */
        .p50_ns = told[0],
        .p99_ns = told[1],
        .p999_ns = told[2],
        .p9999_ns = told[3],
        .max_ns = max,
    };
}

void histogram_copy(const struct histogram *histogram, struct histogram *to) {
    to->count = 0;
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        to->counts[bucket] = count_in(histogram, bucket);
        to->count += to->counts[bucket];
    }
    to->max_ns = max_of(histogram);
}

void histogram_subtract(struct histogram *copy, const struct histogram *earlier) {
    uint64_t top = 0;
    copy->count = 0;
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        const uint64_t before = earlier->counts[bucket];
        copy->counts[bucket] -= before < copy->counts[bucket] ? before : copy->counts[bucket];
        copy->count += copy->counts[bucket];
        top = copy->counts[bucket] == 0 ? top : histogram_top(bucket);
    }
    copy->max_ns = top < copy->max_ns ? top : copy->max_ns;
}

void histogram_add(struct histogram *copy, const struct histogram *other) {
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        copy->counts[bucket] += other->counts[bucket];
    }
    copy->count += other->count;
    copy->max_ns = other->max_ns > copy->max_ns ? other->max_ns : copy->max_ns;
}

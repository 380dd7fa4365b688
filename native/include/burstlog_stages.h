/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of records goes: part of burstlog.h, which includes this. */
#ifndef BURSTLOG_STAGES_H
#define BURSTLOG_STAGES_H

#ifndef BURSTLOG_H
#error "include burstlog.h"
#endif

/*
 * Where the time of records goes. Times are of CLOCK_MONOTONIC, in nanoseconds, and count since the open. A wait counts
 * however it ended. To stay cheap, the engine times one append in n and one write in n. n is 1 if a write takes 24 us
 * or more, about 8 at 4 us, and 512 below 1 us (memory). Whether one is timed depends on its number alone. So the
 * distribution is that of all, but the longest may be missing (docs/stages.md).
 */
enum burst_stage {
    /* Waiting for space in a full ring, for each append that waited. The number of those that did not wait is the
     * number of accepted records since the open, less this count. */
    BURST_STAGE_CLAIM_WAIT = 0,
    /* From the claim to the publication: copy and checksum. One append in n; one in 64 of enqueued or offered
     * records. */
    BURST_STAGE_COPY = 1,
    /* From the publication until the append knows that its record is durable. One append in n. */
    BURST_STAGE_COMMIT_WAIT = 2,
    /* A write of a commit, from its submission to its completion. One write in n. */
    BURST_STAGE_DEVICE_WRITE = 3,
    /* From durable in the ring to durable in the log file, for the oldest record of each sync of the log file. When the
     * drain catches up, several syncs in a row give one figure. */
    BURST_STAGE_DRAIN_LAG = 4,
    /* From the claim of an enqueued or offered record until it is durable in the ring. One such record in 64. */
    BURST_STAGE_ENQUEUE_LAG = 5,
    /* Waiting for the second copy once the record is durable in the ring, for each burst_await_copied that waited. */
    BURST_STAGE_COPY_WAIT = 6,
};
#define BURST_STAGES 7

/* Figures of one stage, all 0 while nothing was timed. max_ns is exact. A percentile is rounded up to its bucket, by
 * less than 1%, and never exceeds max_ns. The mean is computed from the middles of the buckets, as in HdrHistogram, and
 * never exceeds max_ns. */
typedef struct burst_stage_stats {
    uint64_t count; /* how many were timed */
    uint64_t mean_ns;
    uint64_t p50_ns;
    uint64_t p99_ns;
    uint64_t p999_ns;
    uint64_t p9999_ns;
    uint64_t max_ns;
} burst_stage_stats_t;

#define BURST_HISTOGRAM_BUCKETS 3968

/*
 * The times of one stage, counted in buckets. The buckets are those of an HdrHistogram with lowest value 1, highest
 * value 2^37 - 1 and 2 significant digits. Bucket i < 256 holds the value i. Any other bucket, with shift = i / 128 -
 * 1, holds the 2^shift values from (i % 128 + 128) << shift on. The last one also holds all longer times.
 */
typedef struct burst_histogram {
    uint32_t struct_bytes; /* the caller sets it to sizeof(burst_histogram_t) */
    uint32_t bucket_count; /* BURST_HISTOGRAM_BUCKETS */
    uint64_t count;        /* sum of all buckets */
    uint64_t max_ns;       /* exact */
    uint64_t counts[BURST_HISTOGRAM_BUCKETS];
} burst_histogram_t;

/* Fills *histogram for the stage (enum burst_stage). Returns 0 or a negative errno. On a closed handle it gives the
 * last figures. */
int burst_stage_histogram(const burst_t *log, uint32_t stage, burst_histogram_t *histogram);

/* The least time that `percent` (0..100) of all times do not exceed, rounded up to the end of its bucket and at most
 * max_ns; 0 in an empty histogram. */
uint64_t burst_histogram_percentile(const burst_histogram_t *histogram, double percent);

/* The highest value in the bucket. Buckets have the numbers 0..BURST_HISTOGRAM_BUCKETS - 1. */
uint64_t burst_histogram_highest(uint32_t bucket);

#endif

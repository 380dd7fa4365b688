/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of records goes: part of burstlog.h, which includes it. */
#ifndef BURSTLOG_STAGES_H
#define BURSTLOG_STAGES_H

#ifndef BURSTLOG_H
#error "include burstlog.h"
#endif

/*
 * Where the time of records goes. Times are of CLOCK_MONOTONIC, in nanoseconds, since open; a wait counts however it
 * ended. To stay cheap one append in n is timed, and one write in n: n is 1 where writes take 24 us and more, some 8
 * where they take 4 us, and 512 where they take less than 1 us (memory). Their number alone decides which ones are
 * timed. So the distribution is that of all, but the longest of all need not be among them (docs/stages.md).
 */
enum burst_stage {
    /* Waiting for space in a full ring: every append that waited. The others are not counted: they are those accepted
     * since open, less this count. */
    BURST_STAGE_CLAIM_WAIT = 0,
    /* From the claim to the publication: copy and checksum. One append in n, and one in 64 of the records enqueued or
     * offered. */
    BURST_STAGE_COPY = 1,
    /* From the publication until the append knows that its record is durable. One append in n. */
    BURST_STAGE_COMMIT_WAIT = 2,
    /* A write of a commit, from its submission to its completion. One write in n. */
    BURST_STAGE_DEVICE_WRITE = 3,
    /* From durable in the ring to durable in the log file: the oldest record of each sync of the log file. A drain that
     * catches up gives one figure for several syncs in a row. */
    BURST_STAGE_DRAIN_LAG = 4,
    /* From the claim of an enqueued or offered record until it is durable in the ring. One such record in 64. */
    BURST_STAGE_ENQUEUE_LAG = 5,
};
#define BURST_STAGES 6

/* Figures of one stage, all 0 while nothing was timed. max_ns is exact. A percentile is rounded up to its bucket, by
 * less than 1%, and never exceeds max_ns. The mean is that of the buckets' middles, as in HdrHistogram, but no more
 * than max_ns. */
typedef struct burst_stage_stats {
    uint64_t count; /* of those timed */
    uint64_t mean_ns;
    uint64_t p50_ns;
    uint64_t p99_ns;
    uint64_t p999_ns;
    uint64_t p9999_ns;
    uint64_t max_ns;
} burst_stage_stats_t;

#define BURST_HISTOGRAM_BUCKETS 3968

/*
 * How often a stage took how long. The buckets are those of an HdrHistogram with lowest value 1, highest value 2^37 -
 * 1 and 2 significant digits: bucket i < 256 holds the value i; any other, with shift = i / 128 - 1, the 2^shift
 * values from (i % 128 + 128) << shift on. The last one also holds whatever is longer.
 */
typedef struct burst_histogram {
    uint32_t struct_bytes; /* set to sizeof(burst_histogram_t) before the call */
    uint32_t bucket_count; /* BURST_HISTOGRAM_BUCKETS */
    uint64_t count;        /* of all buckets */
    uint64_t max_ns;       /* exact */
    uint64_t counts[BURST_HISTOGRAM_BUCKETS];
} burst_histogram_t;

/* Fills *histogram for the stage (enum burst_stage). Returns 0 or a negative errno. Works on a closed handle (last
 * figures). */
int burst_stage_histogram(const burst_t *log, uint32_t stage, burst_histogram_t *histogram);

/* The least time that `percent` (0..100) of all do not exceed, rounded up to the end of its bucket, but at most
 * max_ns; 0 if there are none. */
uint64_t burst_histogram_percentile(const burst_histogram_t *histogram, double percent);

/* The highest value that bucket 0..BURST_HISTOGRAM_BUCKETS - 1 holds. */
uint64_t burst_histogram_highest(uint32_t bucket);

#endif

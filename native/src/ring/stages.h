/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of records goes: one histogram for each stage of their path.
 *
 * DESIGN. One reading of the clock costs 23 ns, and more after a system call. A whole enqueue costs no more than that,
 * and a write takes from 100 ns (memory) over 4 us (the fastest devices) to milliseconds. So the engine times one
 * append in n and one write in n. Where writes take STAGES_WORTHWHILE_US, n is 1. On faster media n is so high that the
 * readings cost about one part in 200. Where a write takes less than 1 us (memory), n is STAGES_FEWEST: less than 1% of
 * the appends then pay for a reading, and even the p99 stays as it is.
 *
 * The leader finds n from the writes. n only grows: if it fell while a device is slow, slow times would count more than
 * fast ones. Whether an append or a write is timed depends on its number alone and not on its duration, so the sample is
 * fair. A multiplication spreads the chosen numbers: if a few threads append in turns, plain multiples of n would always
 * hit the same thread.
 *
 * Any thread may record at any time, even after stages_forget: the memory stays. A ring without stages (NULL) records
 * nothing.
 */
#ifndef BURST_RING_STAGES_H
#define BURST_RING_STAGES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"
#include "base/platform.h"

#define STAGES_SHARE(n) (UINT32_MAX / (uint32_t)(n)) /* one in n */
#define STAGES_ENQUEUED 64u                          /* one enqueued record in this many is timed */
#define STAGES_FEWEST 512u                           /* at least one append in this many is timed */
#define STAGES_WORTHWHILE_US 24
#define STAGES_WINDOW 64u /* n is found anew from this many timed writes */

/* The stages from a call to the durable record and on to the log file: enum burst_stage. */
enum stage {
    STAGE_CLAIM_WAIT,
    STAGE_COPY,
    STAGE_COMMIT_WAIT,
    STAGE_DEVICE_WRITE,
    STAGE_DRAIN_LAG,
    STAGE_ENQUEUE_LAG,
    STAGE_COPY_WAIT,
};
#define STAGES 7u
#define STAGES_LAGGING 4096u /* most timed records that a commit's writes under way can hold: commit.c */

/* A timed record that was enqueued and sealed, and is not durable yet. */
struct stages_lagging {
    uint64_t sequence;
    int64_t claimed_ns;
};

struct stages {
    const struct platform *platform;
    _Atomic uint32_t share; /* STAGES_SHARE(n) */

    /* the leader's: where the oldest commit since the drain's last look begins, or 0 */
    _Alignas(128) _Atomic uint64_t stamped;
    _Atomic int64_t stamped_ns;
    int64_t window_us; /* the leader's: total time of the writes timed since it last found n */
    uint32_t window;
    uint32_t lagging_first, lagging_count; /* the leader's: a queue in `lagging`, in order of sequences */

    /* the drain's: where the oldest commit begins that the drain has seen and not synced, or 0 */
    _Alignas(128) uint64_t oldest;
    int64_t oldest_ns;
    uint64_t drained;

    size_t kept_count[STAGES]; /* words of each stage in `kept` after stages_keep; the stages follow each other there */
    uint64_t kept_max_ns[STAGES];
    struct stages_lagging lagging[STAGES_LAGGING];
    _Alignas(4096) struct histogram histograms[STAGES];
    _Alignas(4096) uint64_t kept[STAGES * HISTOGRAM_BUCKETS];
};

/* Initialises stages in zeroed PLAIN memory. */
void stages_init(struct stages *stages, const struct platform *platform);

/* The stage's name: "commit wait". */
const char *stages_name(unsigned stage);

/* ---- recording; each of these does nothing if stages is NULL ---- */

static inline uint32_t stages_share(const struct stages *stages) {
    return atomic_load_explicit(&stages->share, memory_order_relaxed);
}

static inline int stages_choose(uint64_t number, uint32_t share) {
    return __builtin_expect((uint32_t)number * 0x9e3779b1u <= share, 0);
}

/* Whether the record of this sequence is timed. */
static inline int stages_times(const struct stages *stages, uint64_t sequence, int enqueued) {
    return enqueued ? stages_choose(sequence, STAGES_SHARE(STAGES_ENQUEUED)) && stages != NULL
                    : stages != NULL && stages_choose(sequence, stages_share(stages));
}

/* The present time if the record of this sequence is timed, else 0. */
static inline int64_t stages_claimed(const struct stages *stages, uint64_t sequence, int enqueued) {
    return stages_times(stages, sequence, enqueued) ? platform_monotonic_ns(stages->platform) : 0;
}

/* The present time if the write of this number is timed, else 0. */
static inline int64_t stages_submitted(const struct stages *stages, uint64_t number) {
    return stages != NULL && stages_choose(number, stages_share(stages)) ? platform_monotonic_ns(stages->platform) : 0;
}

/* The present time, or 0 without stages. */
static inline int64_t stages_now(const struct stages *stages) {
    return stages == NULL ? 0 : platform_monotonic_ns(stages->platform);
}

int64_t stages_record(struct stages *stages, enum stage stage, int64_t since_ns);

/* Records that the stage lasted from since_ns until now. Returns the present time, at which the next stage begins. With
 * since_ns 0 it records nothing and returns 0. */
static inline int64_t stages_end(struct stages *stages, enum stage stage, int64_t since_ns) {
    return __builtin_expect(since_ns == 0, 1) ? 0 : stages_record(stages, stage, since_ns);
}

void stages_record_write(struct stages *stages, int64_t since_ns);

/* Records how long a timed write took. Only the leader calls this. */
static inline void stages_written(struct stages *stages, int64_t since_ns) {
    if (__builtin_expect(since_ns != 0, 0)) {
        stages_record_write(stages, since_ns);
    }
}

void stages_stamp(struct stages *stages, uint64_t position);

/* Stamps the first commit since the drain looked: the records at `position`, the old watermark, become durable now.
 * Only the leader calls this. */
static inline void stages_committed(struct stages *stages, uint64_t position) {
    if (stages != NULL && atomic_load_explicit(&stages->stamped, memory_order_relaxed) == 0) {
        stages_stamp(stages, position);
    }
}

void stages_lags(struct stages *stages, uint64_t sequence, int64_t claimed_ns);
void stages_end_lags(struct stages *stages, uint64_t next_sequence);

/* The leader seals the enqueued record of this sequence. claimed_ns is the time of its claim; 0: the record is not
 * timed. */
static inline void stages_sealed(struct stages *stages, uint64_t sequence, int64_t claimed_ns) {
    if (__builtin_expect(claimed_ns != 0, 0) && stages != NULL) {
        stages_lags(stages, sequence, claimed_ns);
    }
}

/* All records below next_sequence are durable. Only the leader calls this. */
static inline void stages_durable(struct stages *stages, uint64_t next_sequence) {
    if (stages != NULL && __builtin_expect(stages->lagging_count != 0, 0)) {
        stages_end_lags(stages, next_sequence);
    }
}

/* Takes the stamp, so that the next commit gets one of its own. The drain calls this before it reads the watermark. */
void stages_drain_looks(struct stages *stages);

/* Everything before the position is durable in the log file. Only the drain calls this. */
void stages_drained(struct stages *stages, uint64_t position);

/* ---- reading ---- */

/* Summarizes each stage. All figures are 0 if stages is NULL. */
void stages_summarize(const struct stages *stages, struct histogram_figures figures[STAGES]);

void stages_copy(const struct stages *stages, unsigned stage, struct histogram *histogram);

/* Copies the counts to less memory, for stages_copy_kept. stages may be NULL. */
void stages_keep(struct stages *stages);

/* Gives the histograms' pages back to the host. Nobody may copy from them any more. stages may be NULL. */
void stages_forget(struct stages *stages);

/* Copies what stages_keep kept. */
void stages_copy_kept(const struct stages *stages, unsigned stage, struct histogram *histogram);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of records goes: one histogram for each stage of their path.
 *
 * DESIGN. A reading of the clock costs 23 ns, more after a system call, and a whole offer no more than that; a write
 * takes from 100 ns (memory) over 4 us (the fastest devices) to milliseconds. So one append in n is timed and one write
 * in n: n is 1 where writes take STAGES_WORTHWHILE_US, and otherwise so high that the readings cost about one part in
 * 200. Where they take less than one (memory) it is STAGES_FEWEST: fewer than one append in 100 then pays for a
 * reading, and even the p99 stays what it is. It is found from the writes themselves and only ever grows: if it could
 * fall while a device is slow, slow times would count more than others. Which ones are timed follows from their number
 * alone, which has nothing to do with how long they take, and so leaves the distribution as it is; a multiplication
 * spreads them, or of a few threads that append in turns always the same one would be hit.
 *
 * Anybody may record at any time; also after stages_forget, when nobody looks any more: the memory stays. A ring
 * without stages (NULL) records nothing.
 */
#ifndef BURST_RING_STAGES_H
#define BURST_RING_STAGES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"
#include "base/platform.h"

#define STAGES_SHARE(n) (UINT32_MAX / (uint32_t)(n)) /* one in n */
#define STAGES_ENQUEUED 64u                          /* one in so many enqueued records is timed */
#define STAGES_FEWEST 512u                           /* and at least one in so many of others */
#define STAGES_WORTHWHILE_US 24
#define STAGES_WINDOW 64u /* timed writes from which n is found */

/* From a call to its durable record and the log file: enum burst_stage. */
enum stage {
    STAGE_CLAIM_WAIT,
    STAGE_COPY,
    STAGE_COMMIT_WAIT,
    STAGE_DEVICE_WRITE,
    STAGE_DRAIN_LAG,
    STAGE_ENQUEUE_LAG,
};
#define STAGES 6u
#define STAGES_LAGGING 4096u /* timed records of a commit's writes under way, at most: commit.c */

/* A timed record that was enqueued, is sealed and is not durable yet. */
struct stages_lagging {
    uint64_t sequence;
    int64_t claimed_ns;
};

struct stages {
    const struct platform *platform;
    _Atomic uint32_t share; /* STAGES_SHARE(n) */

    _Alignas(
        128) _Atomic uint64_t stamped; /* 0, or where the oldest commit since the drain looked begins; the leader's */
    _Atomic int64_t stamped_ns;
    int64_t window_us; /* the leader's: timed writes since n was last looked at, and how long they took */
    uint32_t window;
    uint32_t lagging_first, lagging_count; /* the leader's, in `lagging`, in rising order of their sequences */

    _Alignas(128) uint64_t oldest; /* the drain's: of what it has seen and not yet synced, as above */
    int64_t oldest_ns;
    uint64_t drained;

    size_t kept_count[STAGES]; /* of a closed one; the words of all stages follow each other in `kept` */
    uint64_t kept_max_ns[STAGES];
    struct stages_lagging lagging[STAGES_LAGGING];
    _Alignas(4096) struct histogram histograms[STAGES];
    _Alignas(4096) uint64_t kept[STAGES * HISTOGRAM_BUCKETS];
};

/* Of zeroed PLAIN memory. */
void stages_init(struct stages *stages, const struct platform *platform);

/* "commit wait" */
const char *stages_name(unsigned stage);

/* ---- recording; each of these does nothing if stages is NULL ---- */

static inline uint32_t stages_share(const struct stages *stages) {
    return atomic_load_explicit(&stages->share, memory_order_relaxed);
}

static inline int64_t stages_choose(const struct stages *stages, uint64_t number, uint32_t share) {
    return __builtin_expect((uint32_t)number * 0x9e3779b1u > share, 1) ? 0 : platform_monotonic_ns(stages->platform);
}

/* Now, if the record of this sequence is timed, else 0. */
static inline int64_t stages_claimed(const struct stages *stages, uint64_t sequence, int enqueued) {
    return stages == NULL
               ? 0
               : stages_choose(stages, sequence, enqueued ? STAGES_SHARE(STAGES_ENQUEUED) : stages_share(stages));
}

/* Now, if the write of this number is timed, else 0. */
static inline int64_t stages_submitted(const struct stages *stages, uint64_t number) {
    return stages == NULL ? 0 : stages_choose(stages, number, stages_share(stages));
}

/* Now. */
static inline int64_t stages_now(const struct stages *stages) {
    return stages == NULL ? 0 : platform_monotonic_ns(stages->platform);
}

int64_t stages_record(struct stages *stages, enum stage stage, int64_t since_ns);

/* The stage took from since_ns, unless that is 0, until now, which is returned: the next one begins. */
static inline int64_t stages_end(struct stages *stages, enum stage stage, int64_t since_ns) {
    return __builtin_expect(since_ns == 0, 1) ? 0 : stages_record(stages, stage, since_ns);
}

void stages_record_write(struct stages *stages, int64_t since_ns);

/* The same of a write of a commit. The leader's. */
static inline void stages_written(struct stages *stages, int64_t since_ns) {
    if (__builtin_expect(since_ns != 0, 0)) {
        stages_record_write(stages, since_ns);
    }
}

void stages_stamp(struct stages *stages, uint64_t position);

/* The records that begin at the position, the watermark, become durable now. Called by the leader only. */
static inline void stages_committed(struct stages *stages, uint64_t position) {
    if (stages != NULL && atomic_load_explicit(&stages->stamped, memory_order_relaxed) == 0) {
        stages_stamp(stages, position);
    }
}

void stages_lags(struct stages *stages, uint64_t sequence, int64_t claimed_ns);
void stages_end_lags(struct stages *stages, uint64_t next_sequence);

/* The leader seals the enqueued record of this sequence, which was claimed at that time; 0: it is not timed. */
static inline void stages_sealed(struct stages *stages, uint64_t sequence, int64_t claimed_ns) {
    if (__builtin_expect(claimed_ns != 0, 0) && stages != NULL) {
        stages_lags(stages, sequence, claimed_ns);
    }
}

/* All records below the sequence are durable. The leader's. */
static inline void stages_durable(struct stages *stages, uint64_t next_sequence) {
    if (stages != NULL && __builtin_expect(stages->lagging_count != 0, 0)) {
        stages_end_lags(stages, next_sequence);
    }
}

/* The drain is about to read the watermark, and then moves what lies before it. This takes the stamp first, so that the
 * next commit gets a stamp of its own. */
void stages_drain_looks(struct stages *stages);

/* Everything before the position is durable in the log file. The drain's. */
void stages_drained(struct stages *stages, uint64_t position);

/* ---- reading ---- */

/* All 0 if stages is NULL. */
void stages_summarize(const struct stages *stages, struct histogram_figures figures[STAGES]);

void stages_copy(const struct stages *stages, unsigned stage, struct histogram *histogram);

/* Keeps the counts as they are, in less memory, for stages_copy_kept. NULL is allowed. */
void stages_keep(struct stages *stages);

/* Gives the histograms' pages back to the host: nobody copies them any more. NULL is allowed. */
void stages_forget(struct stages *stages);

/* As stages_copy, of what was kept. */
void stages_copy_kept(const struct stages *stages, unsigned stage, struct histogram *histogram);

#endif

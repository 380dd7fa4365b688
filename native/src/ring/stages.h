/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of records goes: one histogram for each stage of their path.
 *
 * DESIGN. A reading of the clock costs 23 ns, as much as an offer does as a whole, and a commit to memory 100 ns. So of
 * most records nothing is read: whether one is timed follows from its sequence alone, which has nothing to do with how
 * long it takes, and so leaves the distribution as it is. A multiplication spreads those that are timed, or a few threads
 * that append in turns would always hit the same one. What takes microseconds, a write to a device, is timed every time:
 * the one that took longest is what people look for.
 *
 * Anybody may record at any time; also after stages_close, when nobody looks any more: the memory stays. A ring without
 * stages (NULL) records nothing.
 */
#ifndef BURST_RING_STAGES_H
#define BURST_RING_STAGES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/platform.h"
#include "burstlog.h"

#define STAGES_ALL UINT32_MAX
#define STAGES_ONE_OF(n) ((uint32_t)(UINT32_MAX / (n)))
#define STAGES_OF_ENQUEUED STAGES_ONE_OF(64)

struct stages {
    const struct platform *platform;
    uint32_t of_appends; /* the share that is timed: all is STAGES_ALL */
    uint32_t of_writes;

    _Alignas(128) _Atomic uint64_t stamped; /* 0, or where the oldest commit since the drain looked begins; the leader's */
    _Atomic int64_t stamped_ns;

    _Alignas(128) uint64_t oldest; /* the drain's: of what it has seen and not yet synced, as above */
    int64_t oldest_ns;
    uint64_t drained;

    size_t kept_count[BURST_STAGES]; /* of a closed one; the words of all stages follow each other in `kept` */
    uint64_t kept_max_ns[BURST_STAGES];
    _Alignas(4096) burst_histogram_t histograms[BURST_STAGES];
    _Alignas(4096) uint64_t kept[BURST_STAGES * BURST_HISTOGRAM_BUCKETS];
};

/* Of zeroed PLAIN memory. in_memory: the ring is mapped memory. */
void stages_init(struct stages *stages, const struct platform *platform, int in_memory);

/* "commit wait" */
const char *stages_name(unsigned stage);

/* ---- recording; each of these does nothing if stages is NULL ---- */

static inline int64_t stages_choose(const struct stages *stages, uint64_t number, uint32_t share) {
    return (uint32_t)number * 0x9e3779b1u > share ? 0 : platform_monotonic_ns(stages->platform);
}

/* Now, if the record of this sequence is timed, else 0. */
static inline int64_t stages_claimed(const struct stages *stages, uint64_t sequence, int enqueued) {
    return stages == NULL ? 0 : stages_choose(stages, sequence, enqueued ? STAGES_OF_ENQUEUED : stages->of_appends);
}

/* Now, if the write of this number is timed, else 0. */
static inline int64_t stages_submitted(const struct stages *stages, uint64_t number) {
    return stages == NULL ? 0 : stages_choose(stages, number, stages->of_writes);
}

/* Now. */
static inline int64_t stages_now(const struct stages *stages) {
    return stages == NULL ? 0 : platform_monotonic_ns(stages->platform);
}

int64_t stages_record(struct stages *stages, enum burst_stage stage, int64_t since_ns);

/* The stage took from since_ns, unless that is 0, until now, which is returned: the next one begins. */
static inline int64_t stages_end(struct stages *stages, enum burst_stage stage, int64_t since_ns) {
    return since_ns == 0 ? 0 : stages_record(stages, stage, since_ns);
}

void stages_stamp(struct stages *stages, uint64_t position);

/* What begins at the position, W, becomes durable now. The leader's. */
static inline void stages_committed(struct stages *stages, uint64_t position) {
    if (stages != NULL && atomic_load_explicit(&stages->stamped, memory_order_relaxed) == 0) {
        stages_stamp(stages, position);
    }
}

/* The drain is about to read W, and moves what lies before it. What was stamped is taken before that, so that what is
 * committed from here on gets a stamp of its own. */
void stages_drain_looks(struct stages *stages);

/* Everything before the position is durable in the log file. The drain's. */
void stages_drained(struct stages *stages, uint64_t position);

/* ---- reading ---- */

/* All 0 if stages is NULL. */
void stages_summarize(const struct stages *stages, burst_stage_stats_t figures[BURST_STAGES]);

/* Everything but struct_bytes. */
void stages_copy(const struct stages *stages, unsigned stage, burst_histogram_t *histogram);

/* Keeps the counts as they are, in less memory, for stages_copy_kept, and gives the histograms' pages back to the host.
 * NULL is allowed. */
void stages_close(struct stages *stages);

/* As stages_copy, of closed ones. */
void stages_copy_kept(const struct stages *stages, unsigned stage, burst_histogram_t *histogram);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Asserts that burstlog.h and the rooms below it define the same values. */
#include "base/events.h"
#include "base/histogram.h"
#include "burstlog.h"
#include "device/device.h"
#include "log/copier.h"
#include "log/public_types.h"
#include "ring/append.h"
#include "ring/stages.h"

#define SAME(one, other) _Static_assert((int)(one) == (int)(other), #one)
#define SAME_FIELD(field)                                                                                              \
    _Static_assert(offsetof(burst_stage_stats_t, field) == offsetof(struct histogram_figures, field), #field)

SAME(BURST_ON_FULL_BLOCK, RING_ON_FULL_BLOCK);
SAME(BURST_ON_FULL_FAIL, RING_ON_FULL_FAIL);
SAME(BURST_ON_FULL_DISCARD, RING_ON_FULL_DISCARD);

SAME(BURST_IO_AUTO, DEVICE_IO_AUTO);
SAME(BURST_IO_PWRITE, DEVICE_IO_PWRITE);
SAME(BURST_IO_URING, DEVICE_IO_URING);
SAME(BURST_IO_NVME, DEVICE_IO_NVME);
SAME(BURST_IO_MAPPED, DEVICE_IO_MAPPED);
SAME(BURST_IO_FLUSH, DEVICE_IO_FLUSH);

SAME(BURST_DURABILITY_POWER, DURABILITY_POWER);
SAME(BURST_DURABILITY_OS_CRASH, DURABILITY_OS_CRASH);
SAME(BURST_DURABILITY_PROCESS, DURABILITY_PROCESS);

SAME(BURST_INFO, EVENT_INFO);
SAME(BURST_WARN, EVENT_WARN);
SAME(BURST_ERROR, EVENT_ERROR);
SAME(BURST_TEXT_BYTES, EVENT_TEXT_BYTES);

SAME(BURST_STAGES, STAGES);
SAME(BURST_STAGE_CLAIM_WAIT, STAGE_CLAIM_WAIT);
SAME(BURST_STAGE_COPY, STAGE_COPY);
SAME(BURST_STAGE_COMMIT_WAIT, STAGE_COMMIT_WAIT);
SAME(BURST_STAGE_DEVICE_WRITE, STAGE_DEVICE_WRITE);
SAME(BURST_STAGE_DRAIN_LAG, STAGE_DRAIN_LAG);
SAME(BURST_STAGE_ENQUEUE_LAG, STAGE_ENQUEUE_LAG);
SAME(BURST_STAGE_COPY_WAIT, STAGE_COPY_WAIT);

SAME(BURST_COPY_EXPECTED, COPY_EXPECTED);
SAME(BURST_COPY_HERE, COPY_IS_HERE);
SAME(BURST_COPY_AWAY, COPY_IS_AWAY);
SAME(BURST_COPY_NAME_BYTES, COPIER_NAME_BYTES);

SAME(sizeof(burst_stage_stats_t), sizeof(struct histogram_figures));
SAME_FIELD(count);
SAME_FIELD(mean_ns);
SAME_FIELD(p50_ns);
SAME_FIELD(p99_ns);
SAME_FIELD(p999_ns);
SAME_FIELD(p9999_ns);
SAME_FIELD(max_ns);

SAME(BURST_HISTOGRAM_BUCKETS, HISTOGRAM_BUCKETS);

uint64_t burst_histogram_percentile(const burst_histogram_t *histogram, double percent) {
    return histogram_percentile(log_histogram_in((burst_histogram_t *)histogram), percent);
}

uint64_t burst_histogram_highest(uint32_t bucket) {
    return histogram_top(bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/stages.h"

#include <string.h>

#define PAGE_BYTES 4096u
#define KEPT_COUNT_BITS 48u /* each word of `kept` has a bucket's number above these bits */

void stages_init(struct stages *stages, const struct platform *platform) {
    stages->platform = platform;
    atomic_store(&stages->share, STAGES_SHARE(1));
    for (size_t at = 0; at < sizeof stages->histograms; at += PAGE_BYTES) {
        ((volatile uint8_t *)stages->histograms)[at] =
            0; /* now, so that no append waits for the kernel to find the page */
    }
    stages->lagging[0] = (struct stages_lagging){0}; /* touched now for the same reason */
}

const char *stages_name(unsigned stage) {
    static const char *const names[STAGES] = {"claim wait", "copy",        "commit wait", "device write",
                                              "drain lag",  "enqueue lag", "copy wait"};
    return stage < STAGES ? names[stage] : "unknown";
}

static void record(struct stages *stages, enum stage stage, int64_t took_ns) {
    histogram_record(&stages->histograms[stage], took_ns < 0 ? 0 : (uint64_t)took_ns);
}

int64_t stages_record(struct stages *stages, enum stage stage, int64_t since_ns) {
    const int64_t now_ns = platform_monotonic_ns(stages->platform);
    record(stages, stage, now_ns - since_ns);
    return now_ns;
}

/* Counts a hanging write as no longer than twice STAGES_WORTHWHILE_US: it tells nothing about the others. */
static void look_at_share(struct stages *stages, int64_t took_ns) {
    const int64_t took_us = took_ns / 1000; /* 0: the medium is memory */
    stages->window_us += took_us < 2 * STAGES_WORTHWHILE_US ? took_us : 2 * STAGES_WORTHWHILE_US;
    if (++stages->window < STAGES_WINDOW) {
        return;
    }
    uint32_t n = 1;
    while (n < STAGES_FEWEST && n * stages->window_us < STAGES_WINDOW * STAGES_WORTHWHILE_US) {
        n *= 2;
    }
    if (STAGES_SHARE(n) < stages_share(stages)) {
        atomic_store_explicit(&stages->share, STAGES_SHARE(n), memory_order_relaxed);
    }
    stages->window = 0;
    stages->window_us = 0;
}

/* The fence waits for write-backs of memory that are under way. Otherwise a later instruction would wait for them, after
 * the clock was read. */
void stages_record_write(struct stages *stages, int64_t since_ns) {
    atomic_thread_fence(memory_order_seq_cst);
    look_at_share(stages, stages_record(stages, STAGE_DEVICE_WRITE, since_ns) - since_ns);
}

void stages_stamp(struct stages *stages, uint64_t position) {
    atomic_store_explicit(&stages->stamped_ns, platform_monotonic_ns(stages->platform), memory_order_relaxed);
    atomic_store_explicit(&stages->stamped, position, memory_order_release);
}

void stages_lags(struct stages *stages, uint64_t sequence, int64_t claimed_ns) {
    if (stages->lagging_count < STAGES_LAGGING) {
        stages->lagging[(stages->lagging_first + stages->lagging_count) % STAGES_LAGGING] =
            (struct stages_lagging){.sequence = sequence, .claimed_ns = claimed_ns};
        stages->lagging_count++;
    }
}

void stages_end_lags(struct stages *stages, uint64_t next_sequence) {
    int64_t now_ns = 0;
    while (stages->lagging_count > 0 && stages->lagging[stages->lagging_first].sequence < next_sequence) {
        now_ns = now_ns != 0 ? now_ns : platform_monotonic_ns(stages->platform);
        record(stages, STAGE_ENQUEUE_LAG, now_ns - stages->lagging[stages->lagging_first].claimed_ns);
        stages->lagging_first = (stages->lagging_first + 1) % STAGES_LAGGING;
        stages->lagging_count--;
    }
    if (stages->lagging_count == 0) {
        stages->lagging_first = 0; /* so that usually only the first page of `lagging` is in use */
    }
}

void stages_drain_looks(struct stages *stages) {
    const uint64_t stamped = stages == NULL ? 0 : atomic_load_explicit(&stages->stamped, memory_order_acquire);
    if (stamped == 0) {
        return;
    }
    /* Skips a stamp whose commit is already synced: the leader set it late. Skips a stamp behind an older commit that
     * is not synced yet: one sync will cover both. */
    if (stages->oldest == 0 && stamped >= stages->drained) {
        stages->oldest = stamped;
        stages->oldest_ns = atomic_load_explicit(&stages->stamped_ns, memory_order_relaxed);
    }
    atomic_store_explicit(&stages->stamped, 0, memory_order_release);
}

void stages_drained(struct stages *stages, uint64_t position) {
    if (stages == NULL) {
        return;
    }
    stages->drained = position;
    if (stages->oldest != 0 && stages->oldest < position) {
        record(stages, STAGE_DRAIN_LAG, platform_monotonic_ns(stages->platform) - stages->oldest_ns);
        stages->oldest = 0;
    }
}

void stages_summarize(const struct stages *stages, struct histogram_figures figures[STAGES]) {
    for (unsigned stage = 0; stage < STAGES; stage++) {
        if (stages == NULL) {
            figures[stage] = (struct histogram_figures){0};
        } else {
            histogram_summarize(&stages->histograms[stage], &figures[stage]);
        }
    }
}

void stages_copy(const struct stages *stages, unsigned stage, struct histogram *histogram) {
    histogram_copy(&stages->histograms[stage], histogram);
}

void stages_keep(struct stages *stages) {
    if (stages == NULL) {
        return;
    }
    uint64_t *word = stages->kept;
    for (unsigned stage = 0; stage < STAGES; stage++) {
        const struct histogram *histogram = &stages->histograms[stage];
        const uint64_t *const first = word;
        for (uint64_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
            const uint64_t count = __atomic_load_n(&histogram->counts[bucket], __ATOMIC_RELAXED);
            if (count != 0) {
                *word++ = bucket << KEPT_COUNT_BITS | count;
            }
        }
        stages->kept_count[stage] = (size_t)(word - first);
        stages->kept_max_ns[stage] = __atomic_load_n(&histogram->max_ns, __ATOMIC_RELAXED);
    }
}

void stages_forget(struct stages *stages) {
    if (stages != NULL) {
        stages->platform->ops->forget(stages->platform, stages->histograms, sizeof stages->histograms);
    }
}

void stages_copy_kept(const struct stages *stages, unsigned stage, struct histogram *histogram) {
    memset(histogram->counts, 0, sizeof histogram->counts);
    histogram->count = 0;
    histogram->max_ns = stages->kept_max_ns[stage];
    const uint64_t *word = stages->kept;
    for (unsigned before = 0; before < stage; before++) {
        word += stages->kept_count[before];
    }
    for (size_t i = 0; i < stages->kept_count[stage]; i++) {
        const uint64_t count = word[i] & ((1ull << KEPT_COUNT_BITS) - 1);
        histogram->counts[word[i] >> KEPT_COUNT_BITS] = count;
        histogram->count += count;
    }
}

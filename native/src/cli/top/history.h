/* SPDX-License-Identifier: Apache-2.0 */
/* The differences of a log's figures, second by second. No I/O. */
#ifndef BURST_CLI_TOP_HISTORY_H
#define BURST_CLI_TOP_HISTORY_H

#include "media/figures.h"

#define HISTORY_SAMPLES 60u

/* One step from figures to the next ones. */
struct history_sample {
    int64_t time_ns; /* CLOCK_REALTIME of its end */
    int64_t monotonic_ns;
    double seconds; /* its length */
    uint64_t records;
    uint64_t commits;
    uint64_t bytes; /* written to the medium */
    struct histogram_figures latency;
    /* The slowest append that was timed, and the stage that took the most of it: stages_name. 0: none was. */
    uint64_t slowest_ns;
    unsigned slowest_stage;
};

struct history {
    struct history_sample samples[HISTORY_SAMPLES]; /* sample n is at n % HISTORY_SAMPLES */
    uint64_t count;                                 /* so many were ever added */
    struct figures before;
    struct histogram scratch[FIGURES_STAGES];
};

/* Adds up the times that calls and offers took until their records were durable. */
void history_latency(const struct histogram stages[FIGURES_STAGES], struct histogram *latency);

/* Adds what happened since the last call. The first call, and one with figures of another log or open, begins anew.
 * Returns 1 if a sample was added. */
int history_add(struct history *history, const struct figures *figures);

/* The newest sample, `back` samples before it. Returns NULL if there is none. */
const struct history_sample *history_sample(const struct history *history, unsigned back);

/* The sample with the slowest append of the samples that are kept. Returns NULL if there is none. */
const struct history_sample *history_slowest(const struct history *history);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The last minute of a log's figures, second by second. No I/O. */
#ifndef BURST_CLI_TOP_HISTORY_H
#define BURST_CLI_TOP_HISTORY_H

#include "flight/step.h"

#define HISTORY_SAMPLES 60u

struct history {
    struct flight_step samples[HISTORY_SAMPLES]; /* sample n is at n % HISTORY_SAMPLES */
    uint64_t count;                              /* so many were ever added */
    struct figures before;
    struct flight_scratch scratch;
};

/* Adds what happened since the last call. The first call, and one with figures of another log or open, begins anew.
 * Returns 1 if a sample was added. */
int history_add(struct history *history, const struct figures *figures);

/* The newest sample, `back` samples before it. Returns NULL if there is none. */
const struct flight_step *history_sample(const struct history *history, unsigned back);

/* The sample with the slowest append of the last minute. Returns NULL if there is none. */
const struct flight_step *history_slowest(const struct history *history);

#endif

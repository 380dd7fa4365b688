/* SPDX-License-Identifier: Apache-2.0 */
/* The difference between two fillings of a log's figures. No I/O. */
#ifndef BURST_FLIGHT_STEP_H
#define BURST_FLIGHT_STEP_H

#include "media/figures.h"

struct flight_step {
    int64_t time_ns; /* CLOCK_REALTIME of its end */
    int64_t monotonic_ns;
    double seconds;   /* its length */
    uint64_t records; /* that became durable */
    uint64_t commits;
    uint64_t bytes; /* written to the medium */
    uint64_t full_waits;
    uint64_t discarded;
    uint64_t lost;
    struct histogram_figures latency; /* until durable */
    /* The slowest append that was timed, and the stage that took the most of it: enum burst_stage. 0: none was. */
    uint64_t slowest_ns;
    unsigned slowest_stage;
};

/* Room for a calculation, too large for a stack. */
struct flight_scratch {
    struct histogram stages[FIGURES_STAGES];
    struct histogram latency; /* the last step's times until durable */
};

/* Adds up the times that calls and offers took until their records were durable. */
void flight_latency(const struct histogram stages[FIGURES_STAGES], struct histogram *latency);

/* Calculates what happened from `before` to `now`. Returns 0 if the two are not of one open, or not one after the other. */
int flight_step(const struct figures *before, const struct figures *now, struct flight_scratch *scratch,
                struct flight_step *step);

#endif

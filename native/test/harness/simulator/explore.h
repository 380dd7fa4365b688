/* SPDX-License-Identifier: Apache-2.0 */
/* Crashes a run before each of its operations, in every way or in many; then crashes each recovery from that once
 * more. */
#ifndef BURST_TEST_SIMULATOR_EXPLORE_H
#define BURST_TEST_SIMULATOR_EXPLORE_H

#include "harness/simulator/scenarios.h"

struct exploration {
    const struct scenario *scenario;
    uint64_t seed;
    uint64_t exhaustive; /* look at all states of a crash point that has at most this many */
    uint64_t sampled;    /* at any other crash point look at this many */
    uint64_t second_in;  /* one in so many recoveries is crashed as well */
    uint64_t second_sampled;
    int64_t only_point; /* >= 0: only this crash point and state, to see one case again */
    int64_t only_state;
    int trace;
    int is_mapped;
    /* The work that was done. */
    uint64_t points;
    uint64_t states;
    uint64_t second_points;
    uint64_t second_states;
    uint64_t whole_points; /* crash points of which every state was looked at */
    uint64_t total;        /* states of all scenarios before this one */
    /* The case that is looked at now. */
    uint64_t state;
    uint64_t second_point;
    uint64_t second_state;
};

extern struct exploration exploration;

/* Runs exploration.scenario with its seed. Ends the program at a violation. */
void explore(void);

#endif

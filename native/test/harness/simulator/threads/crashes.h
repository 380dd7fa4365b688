/* SPDX-License-Identifier: Apache-2.0 */
/* Crashes a threaded run before its operations, while all its threads stand still, and recoveries from that once more. */
#ifndef BURST_TEST_SIMULATOR_CRASHES_H
#define BURST_TEST_SIMULATOR_CRASHES_H

#include <stdint.h>

struct crashes {
    uint64_t point_in;   /* one in so many operations of a run is crashed; 0: none */
    uint64_t exhaustive; /* look at all states of a crash point that has at most this many */
    uint64_t sampled;    /* of the others look at this many */
    uint64_t second_in;  /* one in so many recoveries is crashed as well */
    uint64_t second_sampled;
    int64_t only_point; /* >= 0: only this crash point and state, to see one case again */
    int64_t only_state;
    int trace;
    /* What was done. */
    uint64_t points, whole_points, states, second_points, second_states;
    /* Where it is now: the number of the operation in its run, 0 being the first. */
    uint64_t operation, state, second_point, second_state;
    const char *name; /* of the operation; NULL: no crash is being looked at */
};

extern struct crashes crashes;

/* A run begins. */
void crashes_begin_run(void);
/* By a simulated thread before each operation. */
void crashes_consider(const char *operation);
/* The end of a run: what it left is opened once more. */
void crashes_after_close(void);

#endif

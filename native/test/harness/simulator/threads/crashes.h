/* SPDX-License-Identifier: Apache-2.0 */
/* Crashes a threaded run before its operations, while all threads stand still; then crashes recoveries from that
 * once more. */
#ifndef BURST_TEST_SIMULATOR_CRASHES_H
#define BURST_TEST_SIMULATOR_CRASHES_H

#include <stdint.h>

struct crashes {
    uint64_t point_in;   /* one in so many operations of a run is crashed; 0: none is */
    uint64_t exhaustive; /* look at all states of a crash point that has at most this many */
    uint64_t sampled;    /* at any other crash point look at this many */
    uint64_t second_in;  /* one in so many recoveries is crashed as well */
    uint64_t second_sampled;
    int64_t only_point; /* >= 0: only this crash point and state, to see one case again */
    int64_t only_state;
    int trace;
    /* The work that was done. */
    uint64_t points, whole_points, states, second_points, second_states;
    /* The case that is looked at now. Operations of a run are numbered from 0. */
    uint64_t operation, state, second_point, second_state;
    const char *name; /* the operation's name; NULL: no crash is being looked at */
};

extern struct crashes crashes;

/* A run begins. */
void crashes_begin_run(void);
/* A simulated thread calls this before each operation. */
void crashes_consider(const char *operation);
/* Opens once more what a run left at its end. */
void crashes_after_close(void);

#endif

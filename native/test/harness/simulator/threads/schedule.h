/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who runs next: a list of decisions, each one of so many options. Option 0 always is the plainest: whoever runs goes
 * on. A seed makes them up, or a list gives the first ones and 0 stands for the rest; schedule_advance turns one list
 * into the next, so that every schedule within a bound is run once, depth first.
 */
#ifndef BURST_TEST_SIMULATOR_SCHEDULE_H
#define BURST_TEST_SIMULATOR_SCHEDULE_H

#include <stdint.h>

#define SCHEDULE_DECISIONS_MAX 8192u
#define SCHEDULE_THREADS_MAX 12u
#define SCHEDULE_UNBOUNDED UINT32_MAX

struct decision {
    uint8_t taken;
    uint8_t options;
    uint8_t preempts; /* any option but 0 takes the processor from one who could go on */
};

/* How a seed decides. */
enum schedule_way { SCHEDULE_LISTED, SCHEDULE_ANY, SCHEDULE_RARELY, SCHEDULE_PRIORITIES };

struct schedule {
    enum schedule_way way;
    uint64_t random_state;
    int muted; /* option 0, and nothing is noted */
    struct decision made[SCHEDULE_DECISIONS_MAX];
    uint32_t count;  /* made so far */
    uint32_t listed; /* those given */
    uint64_t path;   /* hash of what was decided so far */
    uint32_t fresh;  /* from this one on the schedule differs from the one before */
    /* SCHEDULE_PRIORITIES: the ready thread of the highest runs; at some moments that one becomes the lowest. */
    uint32_t priorities[SCHEDULE_THREADS_MAX];
    uint32_t lowest;
    uint32_t turns;
    uint32_t change_at[4];
};

void schedule_by_seed(struct schedule *schedule, uint64_t seed);
/* The decisions in made[0..listed) first, then option 0. */
void schedule_by_list(struct schedule *schedule, uint32_t listed);
/* The next list after a run: all that differ in the first `depth` decisions and preempt at most so often. 0: none is
 * left. */
int schedule_advance(struct schedule *schedule, uint32_t depth, uint32_t preemptions);

/* Which of the threads, the first of which is the one that runs if that could go on. */
unsigned schedule_thread(struct schedule *schedule, const uint8_t *ready, unsigned count, int first_runs);
/* One of so many other things. */
unsigned schedule_pick(struct schedule *schedule, unsigned options);

/* "0.1.0.2", without the zeros at the end. */
void schedule_print(const struct schedule *schedule, char *text, unsigned text_bytes);
/* The opposite: how many decisions, or -1. */
int schedule_parse(struct schedule *schedule, const char *text);

#endif

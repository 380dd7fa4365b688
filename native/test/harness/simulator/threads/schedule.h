/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which threads run: a list of decisions, each of which has so many options. Option 0 always is the
 * plainest: the running thread goes on. A seed makes the decisions up; or a list gives the first ones, and the others
 * take option 0. schedule_advance turns one list into the next, depth first: so every schedule within a bound is run
 * once.
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
    uint8_t preempts; /* any option but 0 preempts a thread that could go on */
};

/* How a seed decides. */
enum schedule_way { SCHEDULE_LISTED, SCHEDULE_ANY, SCHEDULE_RARELY, SCHEDULE_PRIORITIES };

struct schedule {
    enum schedule_way way;
    uint64_t random_state;
    int muted; /* takes option 0 and notes nothing */
    struct decision made[SCHEDULE_DECISIONS_MAX];
    uint32_t count;  /* made so far */
    uint32_t listed; /* those given */
    uint64_t path;   /* hash of what was decided so far */
    uint32_t fresh;  /* the schedule differs from the one before from here on */
    /* SCHEDULE_PRIORITIES: the ready thread of the highest priority runs. At some moments it gets the lowest one. */
    uint32_t priorities[SCHEDULE_THREADS_MAX];
    uint32_t lowest;
    uint32_t turns;
    uint32_t change_at[4];
};

void schedule_by_seed(struct schedule *schedule, uint64_t seed);
/* Takes the decisions in made[0..listed) first, then option 0. */
void schedule_by_list(struct schedule *schedule, uint32_t listed);
/* Makes the next list after a run. All lists differ in the first `depth` decisions and preempt at most `preemptions`
 * times. 0: there is no other list. */
int schedule_advance(struct schedule *schedule, uint32_t depth, uint32_t preemptions);

/* Picks one of the ready threads. If first_runs, the first of them is the running one. */
unsigned schedule_thread(struct schedule *schedule, const uint8_t *ready, unsigned count, int first_runs);
/* Picks one of so many options that are no threads. */
unsigned schedule_pick(struct schedule *schedule, unsigned options);

/* "0.1.0.2", without the zeros at the end. */
void schedule_print(const struct schedule *schedule, char *text, unsigned text_bytes);
/* Reads such a text: returns the number of decisions, or -1. */
int schedule_parse(struct schedule *schedule, const char *text);

#endif

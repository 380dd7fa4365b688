/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that a crash at this moment may leave behind. Each thing that is not durable is a choice:
 *
 * - a sector of a write under way is old, new or garbage;
 * - a line of a mapped medium that differs from the durable one is old, new or a mixture of their 8-byte words;
 * - a write of a lying device is there, lost or torn;
 * - a page of a file is kept or lost;
 * - the sizes of a file, and the changes of the directory, are kept in order up to some point, as a journal does.
 */
#ifndef BURST_TEST_SIMULATOR_CRASH_H
#define BURST_TEST_SIMULATOR_CRASH_H

#include "harness/simulator/world.h"

#define CHOICES_MAX 4096u

enum choice_kind { CHOICE_SECTOR, CHOICE_LINE, CHOICE_LIE, CHOICE_PAGE, CHOICE_SIZE, CHOICE_NAME };

struct choice {
    enum choice_kind kind;
    unsigned options;    /* option 0 is always: what was durable before */
    unsigned inode;      /* PAGE, SIZE */
    unsigned index;      /* PAGE: its number; NAME: the change; LIE: which */
    size_t place;        /* SECTOR, LINE: in the medium */
    const uint8_t *data; /* SECTOR, LINE: the new bytes */
};

struct crash {
    const struct world *world;
    struct choice choices[CHOICES_MAX];
    unsigned count;
    uint64_t states; /* product of the options, UINT64_MAX if that is more */
    uint64_t seed;   /* of garbage and samples */
    int host_lives;  /* only the process dies in the next state: files, names and mapped lines stay as they are */
};

void crash_survey(struct crash *crash, const struct world *world, uint64_t seed);

/* How many states to look at: all if they are at most `exhaustive`, else `sampled`. */
uint64_t crash_states(const struct crash *crash, uint64_t exhaustive, uint64_t sampled);

/* Makes *after what the crash left in state number `state` of `states`. */
void crash_build(const struct crash *crash, uint64_t state, uint64_t states, struct world *after);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remembers what every append was told, and compares it with the log files: what was acknowledged is there exactly
 * once and in order, unless it was silently lost and is reported so; nothing else is there.
 */
#ifndef BURST_TEST_RIGS_WITNESS_H
#define BURST_TEST_RIGS_WITNESS_H

#include <stdint.h>

#include "burstlog.h"

#define WITNESS_THREADS 4
#define WITNESS_NUMBERS 200000
#define WITNESS_LONGEST 1600

struct witness {
    uint64_t next[WITNESS_THREADS];        /* number of the next record of each thread */
    uint64_t needed_from[WITNESS_THREADS]; /* earlier ones went with a file that others destroyed */
    unsigned repeats;    /* a bit for each thread whose lines are all equal: only how many there are can be compared */
    int doubles_allowed; /* the engine has told that records may be in two files */
    uint8_t *fates[WITNESS_THREADS];
    int64_t *sequences[WITNESS_THREADS]; /* as the append returned it */
};

struct findings {
    int violations; /* each was printed */
    uint64_t present;
    uint64_t lost;      /* acknowledged, absent, and reported so in the log file */
    uint64_t told_lost; /* records that the log file reports as lost */
    uint64_t duplicates;
    int files;
};

void witness_begin(struct witness *witness);
void witness_end(struct witness *witness);

/* One line, about `length` bytes long; 0: as it comes. */
int64_t witness_append(struct witness *witness, burst_t *log, int thread, size_t length);

/* The same with burst_enqueue. witness_await tells that all of the thread are durable now. */
int64_t witness_enqueue(struct witness *witness, burst_t *log, int thread, size_t length);
int witness_await(struct witness *witness, burst_t *log, int thread);

/* What another process was told: `result` for its append of this number. */
void witness_recall(struct witness *witness, int thread, uint64_t number, int64_t result);

/* All files of the folder whose name begins with "log". */
struct findings witness_check(const struct witness *witness, const char *folder);

#endif

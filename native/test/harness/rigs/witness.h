/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remembers the result of each append and compares it with the log files. An acknowledged record is there exactly once
 * and in order, or it was silently lost and is reported so. Nothing else is there.
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
    uint64_t needed_from[WITNESS_THREADS]; /* others destroyed a file with the earlier ones */
    unsigned repeats;    /* a bit for each thread whose lines are all equal: these can only be counted */
    int doubles_allowed; /* an event said that records may be in two files */
    uint8_t *fates[WITNESS_THREADS];
    int64_t *sequences[WITNESS_THREADS]; /* the append's result */
};

struct findings {
    int violations; /* each was printed */
    uint64_t present;
    uint64_t lost;      /* acknowledged, missing, and reported so in the log file */
    uint64_t told_lost; /* records that the log file reports as lost */
    uint64_t duplicates;
    int files;
};

void witness_begin(struct witness *witness);
void witness_end(struct witness *witness);

/* Appends a line of about `length` bytes; 0: of any length. */
int64_t witness_append(struct witness *witness, burst_t *log, int thread, size_t length);

/* Enqueues such a line. witness_await waits until all lines of the thread are durable. */
int64_t witness_enqueue(struct witness *witness, burst_t *log, int thread, size_t length);
int witness_await(struct witness *witness, burst_t *log, int thread);

/* Notes what another process was told: `result` is that of its append of this number. */
void witness_recall(struct witness *witness, int thread, uint64_t number, int64_t result);

/* Checks all files of the folder whose names begin with "log". */
struct findings witness_check(const struct witness *witness, const char *folder);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers of the main stream in one view: archives, log file, ring. They take some steps between any two operations of
 * the log, and must get each record once, in order, or be told that they missed it. It counts as acknowledged from then on:
 * no crash may take it back.
 */
#ifndef BURST_TEST_SIMULATOR_READERS_H
#define BURST_TEST_SIMULATOR_READERS_H

#include "harness/simulator/world.h"

#define READERS_ARE_SLOW 60 /* for has_readers: they take one step in so many */

enum reader_kind {
    READER_BY_WINDOW,
    READER_OF_MEDIUM,
    READER_SURVIVOR, /* outlives the writer, and goes on in the crashed world */
    READERS
};

/* The scenario has readers from here on. */
void readers_attend(struct world *world);

/* Lets the reader take some records; all of its world that it can, if chance wants it so. */
void readers_step(struct world *world, enum reader_kind kind);

/* Reads to the end of a log that is drained, checks that nothing is missing, and ends the reader. */
void readers_end(struct world *world, enum reader_kind kind);

/* Opens a reader that has got some or all of the records when the writer dies. It goes on in the world `after` that. */
void readers_make_survivor(struct world *world, struct world *after, uint64_t seed);
int readers_have_survivor(void);

/* A file that was rolled is compressed; its plain name goes when the compressed one is there. */
void readers_pack(struct world *world, const char *name);
/* A file that was rolled is deleted. */
void readers_delete(struct world *world, const char *name);

#endif

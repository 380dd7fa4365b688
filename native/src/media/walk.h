/* SPDX-License-Identifier: Apache-2.0 */
/* The only way along the log from one record to the next. No I/O. */
#ifndef BURST_MEDIA_WALK_H
#define BURST_MEDIA_WALK_H

#include "media/layout.h"

/* The sizes that decide where records can begin. */
struct walk_shape {
    uint64_t capacity_bytes;
    uint64_t block_bytes;
    uint32_t line_bytes; /* a commit ends at a multiple of this; 0: at the end of a block */
};

/* A place between two records. */
struct walk {
    uint64_t position; /* where the next record begins */
    uint64_t sequence; /* the next record's sequence */
    uint32_t epoch;    /* epoch of the last record; no record behind it has a lower one */
};

/* A range of positions that holds no record of the log. */
struct walk_gap {
    uint64_t from;
    uint64_t to;
    uint64_t first_sequence; /* sequence of the first record lost in the gap */
    uint64_t count;          /* number of records lost in the gap; 0 in a void range */
    int damaged;             /* 1: the medium damaged it, even if it held no record; 0: the range is void */
};

/* Begins a walk at `position`, or at the next lap if the rest of this lap is too short for a header. */
struct walk walk_from(const struct walk_shape *shape, uint64_t position, uint64_t sequence, uint32_t epoch);

/* Where the record at `position` ends and the next one begins. */
uint64_t walk_end_of_record(const struct walk_shape *shape, uint64_t position, const struct record_header *header);

/* Moves the walk over the record at walk->position. */
void walk_over_record(struct walk *walk, const struct walk_shape *shape, const struct record_header *header);

/* Moves the walk over a gap that begins at walk->position. */
void walk_over_gap(struct walk *walk, const struct walk_gap *gap);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The one way to go along the log, from a record to the next. No I/O. */
#ifndef BURST_MEDIA_WALK_H
#define BURST_MEDIA_WALK_H

#include "media/layout.h"

/* What decides where records can begin. */
struct walk_shape {
    uint64_t capacity_bytes;
    uint64_t block_bytes;
    uint32_t line_bytes; /* a commit ends at a line of that many bytes; 0: at a block */
};

/* A place between two records. */
struct walk {
    uint64_t position; /* where the next record begins */
    uint64_t sequence; /* that it has */
    uint32_t epoch;    /* of the last record: none below it follows */
};

/* A range of positions that holds no record of the log. */
struct walk_gap {
    uint64_t from;
    uint64_t to;
    uint64_t first_sequence; /* of the records lost in it */
    uint64_t count;          /* how many were lost; a void range has none */
    int damaged;             /* the medium lost it (even if no record was in it); 0: void */
};

/* A walk that begins at `position`, or at the next lap where what is left of this one is too short for a header. */
struct walk walk_from(const struct walk_shape *shape, uint64_t position, uint64_t sequence, uint32_t epoch);

/* Where the record behind this one begins, which stands at `position`. */
uint64_t walk_end_of_record(const struct walk_shape *shape, uint64_t position, const struct record_header *header);

/* The record stands at walk->position. */
void walk_over_record(struct walk *walk, const struct walk_shape *shape, const struct record_header *header);

/* The gap begins at walk->position. */
void walk_over_gap(struct walk *walk, const struct walk_gap *gap);

#endif

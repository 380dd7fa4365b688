/* SPDX-License-Identifier: Apache-2.0 */
/* Records that stand one behind the other: each is whole, follows the one before it, and has the same epoch. */
#ifndef BURST_RECOVERY_RECORD_RUN_H
#define BURST_RECOVERY_RECORD_RUN_H

#include "media/layout.h"
#include "media/walk.h"

struct record_run {
    uint64_t from;   /* position of the first record */
    struct walk end; /* the place behind the last record */
    const struct record_header *last;
    uint64_t records; /* those that hold data */
    uint64_t longest; /* length of the longest of their payloads */
    uint64_t streams; /* a bit for each stream that has one of them, by its id */
    int has_foreign_stream;
};

/* Adds the record at run->end. */
static inline void record_run_add(struct record_run *run, const struct walk_shape *shape,
                                  const struct record_header *header) {
    if (header->type == RECORD_DATA) {
        run->records++;
        run->longest = header->length > run->longest ? header->length : run->longest;
        run->streams |= header->stream < LAYOUT_STREAMS_MAX ? 1ull << header->stream : 0;
        run->has_foreign_stream |= header->stream >= LAYOUT_STREAMS_MAX;
    }
    run->last = header;
    walk_over_record(&run->end, shape, header);
}

/* The run of this record alone. */
static inline struct record_run record_run_of(const struct walk_shape *shape, const struct record_header *header) {
    struct record_run run = {.from = header->position, .end.position = header->position};
    record_run_add(&run, shape, header);
    return run;
}

/* Whether the record at `position` makes the run longer. */
static inline int record_run_goes_on(const struct record_run *run, uint64_t position,
                                     const struct record_header *header) {
    return run->end.position == position && run->end.sequence == header->sequence && run->end.epoch == header->epoch;
}

#endif

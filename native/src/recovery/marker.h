/* SPDX-License-Identifier: Apache-2.0 */
/* The place of the next epoch's marker: its block, and the end of the log that it names. */
#ifndef BURST_RECOVERY_MARKER_H
#define BURST_RECOVERY_MARKER_H

#include "recovery/evidence.h"

/* The end of the walk along the log. */
struct walk_end {
    uint64_t position;
    const struct record_header *last; /* the record right before it; NULL: there is none, or a gap */
    const struct walk_gap *gap;       /* the last gap of the walk, or NULL */
};

struct marker_block {
    uint64_t log_end;        /* the end of the log that the marker names */
    uint64_t position;       /* the marker's block: first_position, or one block on */
    uint64_t first_position; /* the first block of its pair */
    uint64_t hidden_to;      /* unreadable blocks from the walk's end up to here may hide records; 0: none do */
};

struct marker_block marker_place(const struct recovery_input *input, const struct evidence *evidence,
                                 const struct walk_end *end);

#endif

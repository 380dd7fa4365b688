/* SPDX-License-Identifier: Apache-2.0 */
/* Which block the marker of the next epoch takes, and which end of the log it names. */
#ifndef BURST_RECOVERY_MARKER_H
#define BURST_RECOVERY_MARKER_H

#include "recovery/evidence.h"

/* Where the walk along the log has ended. */
struct walk_end {
    uint64_t position;
    const struct record_header *last; /* the record before it; NULL: there is none, or a gap */
    const struct walk_gap *gap;       /* the last one of the walk, or NULL */
};

struct marker_block {
    uint64_t log_end;        /* that the marker names */
    uint64_t position;       /* the marker's: first_position or a block on */
    uint64_t first_position; /* of its pair */
    uint64_t hidden_to;      /* unreadable blocks from the end of the walk to there may hide records; 0: none do */
};

struct marker_block marker_place(const struct recovery_input *input, const struct evidence *evidence,
                                 const struct walk_end *end);

#endif

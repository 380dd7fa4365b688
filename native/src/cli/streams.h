/* SPDX-License-Identifier: Apache-2.0 */
/* What waits in a ring for each of its streams, and where that goes. */
#ifndef BURST_CLI_STREAMS_H
#define BURST_CLI_STREAMS_H

#include "cli/report.h"
#include "view/ring_view.h"

struct streams {
    uint64_t drained_position[LAYOUT_STREAMS_MAX]; /* by id; 0: no checkpoint knows it */
    uint16_t source[LAYOUT_STREAMS_MAX];           /* whose records it gets */
    uint64_t is_known;                             /* bit id: by the checkpoint */
    uint64_t records[LAYOUT_STREAMS_MAX];          /* that its log file does not have yet */
    uint64_t held_bytes[LAYOUT_STREAMS_MAX];       /* of the ring, from the first of them to the end of the log */
    uint64_t records_waiting;                      /* of all of them */
};

/* Of the log that was recovered, and of what the newest checkpoint of `ledger` says. */
void streams_count(const struct ring_view *view, const struct ledger *ledger, struct streams *streams);

/* Whether the log file of its stream has it, and the checkpoint says so. */
int streams_has_drained(const struct streams *streams, const struct record_header *record);

/* 0: the main stream of a ring whose log has other streams only. Every ring has its entry. */
int stream_is_used(const struct stream_state *state);

/* The list of those that are used. `before`: what waited before it was moved; NULL: nothing was. */
void streams_report(struct report *report, const struct ledger *ledger, const struct streams *streams,
                    const struct streams *before);

#endif

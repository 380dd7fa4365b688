/* SPDX-License-Identifier: Apache-2.0 */
/* The records that wait in a ring for each of its streams, and their destinations. */
#ifndef BURST_CLI_STREAMS_H
#define BURST_CLI_STREAMS_H

#include "cli/report.h"
#include "read/archive_names.h"
#include "view/ring_view.h"

struct streams {
    uint64_t drained_position[LAYOUT_STREAMS_MAX]; /* by id; 0: no checkpoint has the stream */
    uint16_t source[LAYOUT_STREAMS_MAX];           /* by id: the stream whose records it gets */
    uint64_t is_known;                             /* bit id: the checkpoint has the stream */
    uint64_t records[LAYOUT_STREAMS_MAX];          /* by id: records that the destination does not have yet */
    /* By id: bytes of the ring from the first of these records to the end of the log. */
    uint64_t held_bytes[LAYOUT_STREAMS_MAX];
    uint64_t records_waiting; /* records that wait for any stream */
};

/* Counts in the recovered log of the view, with the positions of the newest checkpoint of `ledger`. */
void streams_count(const struct ring_view *view, const struct ledger *ledger, struct streams *streams);

/* Whether the record's own stream has drained it, by the checkpoint. */
int streams_has_drained(const struct streams *streams, const struct record_header *record);

/* Whether the stream is used. Each ring has an entry for the main stream, even if its log has only other streams. */
int stream_is_used(const struct stream_state *state);

/* Adds the log files of all streams. Returns 0, or -ENOMEM with a sentence. */
int streams_log_files(const struct ledger *ledger, struct other_logs *files);

/* Reports the list of used streams. `before`: the counts before records were moved, or NULL if none were. */
void streams_report(struct report *report, const struct ledger *ledger, const struct streams *streams,
                    const struct streams *before);

#endif

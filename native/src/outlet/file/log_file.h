/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outlet that is a log file, inside. A change of file (others renamed, cut or extended it, or a sync failed) begins
 * the next file behind the newest checkpoint. Both slots of the ledger name that file before it gets a byte, so that no
 * crash can lead back to the file before.
 *
 * Three parts: look.c finds facts, file_rules.h decides, act.c acts and tell.c tells the operator. Only act.c writes a
 * struct log_file; all others have it const (scripts/check/tree refuses a pointer that is not).
 */
#ifndef BURST_OUTLET_LOG_FILE_H
#define BURST_OUTLET_LOG_FILE_H

#include "base/events.h"
#include "base/platform.h"
#include "media/checkpoint.h"
#include "outlet/file/accounts.h"
#include "outlet/file/destination.h"
#include "outlet/file/file_facts.h"
#include "outlet/file/file_outlet.h"
#include "outlet/outlet.h"

/* News for the operator, told once both slots have the file. */
enum news {
    NEWS_NONE,
    NEWS_BEGUN,    /* records go to this file */
    NEWS_BACK,     /* the log has gone back to the configured file */
    NEWS_DIVERTED, /* records go to this file, and not to the configured one */
};

struct log_file {
    struct outlet outlet;
    const struct platform *platform;
    struct events *events;
    struct destination destination;
    struct outlet_state state; /* state of the open file, or the last one: length and tail as of the last sync */
    enum fact_next next;
    enum news news;
    int why_diverted;
    char before[LAYOUT_FILE_NAME_BYTES]; /* NEWS_BACK: the diverted file that was left */
    int mark_is_untrusted;
    int ring_is_untrusted;                       /* the ring's owner is not trusted, so neither are names in the ring */
    const struct roller *roller, *absent_roller; /* each may be NULL */
    struct index_writer *index;                  /* NULL: the file has no index */
    int roll_told_rc;                            /* error of the rolls given up since the last good one, or 0 */
    int target_told;                             /* the operator knows that the last target was taken */
    int is_stalled;
    char stalled_path[LAYOUT_FILE_NAME_BYTES]; /* the file that the told stall was about */
    struct new_file new_file;                  /* of all files but those that a roll with rules begins */
    /* Kept here, since later files need them when the parts are gone. */
    char owner[ACCOUNT_NAME_BYTES], group[ACCOUNT_NAME_BYTES];
};

static inline int log_file_is_open(const struct log_file *log) {
    return log->destination.file != DESTINATION_CLOSED;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outlet that is a log file, inside. A change of file (others renamed, cut or extended it; a sync failed) begins the next
 * one behind the newest checkpoint, and both slots of the ledger name it before it gets a byte, so that no crash can lead
 * back to the file before.
 *
 * Three parts: look.c finds out facts, file_rules.h says what follows from them, act.c does it and tell.c says it. Only act.c
 * writes a struct log_file: to all others it is const (scripts/check/tree refuses a pointer that is not).
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

/* What is told once both slots have the file. */
enum news {
    NEWS_NONE,
    NEWS_BEGUN,    /* records go there */
    NEWS_BACK,     /* the log has gone back to the configured file */
    NEWS_DIVERTED, /* records go there, and not to the configured one */
};

struct log_file {
    struct outlet outlet;
    const struct platform *platform;
    struct events *events;
    struct destination destination;
    struct outlet_state state; /* of the file that is open, or was: length and tail as at the last sync */
    enum fact_next next;
    enum news news;
    int why_diverted;
    char before[LAYOUT_FILE_NAME_BYTES]; /* NEWS_BACK: the diverted file */
    int mark_is_untrusted;
    int ring_is_untrusted;       /* nor are names that it holds */
    const struct roller *roller; /* or NULL */
    int roll_told_rc;            /* of the rolls that were given up since the last one that succeeded, or 0 */
    int target_told;             /* the last target was taken, and that is told */
    int is_stalled;
    char stalled_path[LAYOUT_FILE_NAME_BYTES]; /* the file that the stall was told of */
    char owner[ACCOUNT_NAME_BYTES],
        group[ACCOUNT_NAME_BYTES]; /* of files that begin later than who has said so is there */
};

static inline int log_file_is_open(const struct log_file *log) {
    return log->destination.file != DESTINATION_CLOSED;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the log that recovery found in an image, item by item: the records that the drain would deliver, and the void
 * or lost ranges between them. On request it begins with the drained records that the image still holds whole.
 */
#ifndef BURST_RECOVERY_READER_H
#define BURST_RECOVERY_READER_H

#include "recovery/record_map.h"
#include "recovery/recovery.h"

enum reader_kind {
    READER_DRAINED, /* a record before recovery->start that no later one has overwritten or contradicts */
    READER_WAITING, /* a record of the log that some stream has not drained */
    READER_VOID,    /* a range that a later open declared void */
    READER_DAMAGE,  /* a range that the medium lost */
};

struct reader_item {
    enum reader_kind kind;
    const struct record_header *record; /* DRAINED, WAITING: DATA, PAD, VOID or MARKER */
    const struct recovery_jump *jump;   /* VOID, DAMAGE */
};

struct reader {
    const struct recovery_input *input;
    const struct recovery *recovery;
    struct record_map drained;
    struct walk walk;
    size_t jump; /* the next of recovery->jumps */
};

/* Begins with the first waiting record. recovery_run filled `recovery` from `input`; both stay alive. */
void reader_begin(struct reader *reader, const struct recovery_input *input, const struct recovery *recovery);

/* Begins with the oldest drained record. Otherwise like reader_begin. Returns 0, or -ENOMEM or -EUCLEAN with a
 * sentence. The caller calls reader_end() in each case. */
int reader_begin_with_drained(struct reader *reader, const struct recovery_input *input,
                              const struct recovery *recovery);

/* Returns 1 with the next item, 0 at the end of the log. */
int reader_next(struct reader *reader, struct reader_item *item);

void reader_end(struct reader *reader);

#endif

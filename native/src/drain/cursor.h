/* SPDX-License-Identifier: Apache-2.0 */
/* A place in the log and the bytes that follow it there: the same place always yields the same bytes. */
#ifndef BURST_DRAIN_CURSOR_H
#define BURST_DRAIN_CURSOR_H

#include "recovery/recovery.h"
#include "ring/ring.h"
#include "outlet/format/record_format.h"

struct cursor {
    struct walk walk;
    size_t jump; /* the next of the recovered gaps */
};

struct batch {
    uint8_t *bytes;
    size_t room; /* at least the largest record and a loss */
    size_t used;
    size_t written; /* of them, already in the destination */
};

/* Where the log is read from: the image, which holds everything from the cursor to `durable`. */
struct log_source {
    const struct ring *ring;
    const struct recovery *recovery;
    const struct record_format *record_format;
};

/* Moves the cursor towards `until` (a W) and adds what the records become to the batch, until that is full, or
 * until a record that a mapped ring has lost. */
void cursor_fill(struct cursor *cursor, const struct log_source *source, uint64_t until, struct batch *batch);

#endif

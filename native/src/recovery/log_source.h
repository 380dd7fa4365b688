/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only door to records: an image of the data area, the gaps that recovery found in it, and how far it is durable. What is
 * behind it may be a medium that was read, or the ring of this process below its watermark.
 */
#ifndef BURST_RECOVERY_LOG_SOURCE_H
#define BURST_RECOVERY_LOG_SOURCE_H

#include "media/walk.h"
#include "recovery/recovery.h"

struct log_source {
    const struct log_source_ops *ops;
    const uint8_t *image;
    struct walk_shape shape;
    uint32_t crc_seed;
    const struct recovery *recovery; /* its gaps */
};

struct log_source_ops {
    /* A watermark, and the sequence of the first record at or after it. */
    void (*durable)(const struct log_source *source, uint64_t *position, uint64_t *next_sequence);
    /* Whether pages of the image may have been lost since it was read: they have zeros in them. NULL: never. */
    int (*has_lost_pages)(const struct log_source *source);
};

/* A place in the log; its records lie before the watermark and are not released. */
struct log_cursor {
    struct walk walk;
    size_t gap; /* the next of the gaps */
};

enum log_item_kind {
    LOG_RECORD, /* with data */
    LOG_LOSS,   /* a range that the medium lost */
};

struct log_item {
    enum log_item_kind kind;
    struct record_header header; /* RECORD: a copy */
    const uint8_t *payload;      /* RECORD: in the image */
    struct walk_gap gap;         /* LOSS */
};

/* At a position that a checkpoint has noted. */
struct log_cursor log_source_at(const struct log_source *source, uint64_t position, uint64_t sequence, uint32_t epoch);

/*
 * Moves the cursor over the next record or loss before `until`, and over what comes before it that nobody is given: void
 * ranges, markers, fillings. 1 with the item, 0 with the cursor at `until`, -EIO: the pages of what would be passed are lost.
 * Whoever has copied a payload asks log_source_is_still_there before he goes on.
 */
int log_source_next(const struct log_source *source, struct log_cursor *cursor, uint64_t until, struct log_item *item);

/* Whether the record that was copied from there was whole: pages may have been lost meanwhile. */
int log_source_is_still_there(const struct log_source *source, uint64_t position);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only way to the records of a log: an image of the data area, the gaps that recovery found in it, and its
 * watermark. The image is either a medium that was read, or the ring of this process below its watermark.
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
    const struct recovery *recovery; /* only its gaps are used */
};

struct log_source_ops {
    /* Gets a watermark, and the sequence of the first record at or behind it. */
    void (*durable)(const struct log_source *source, uint64_t *position, uint64_t *next_sequence);
    /* Whether pages of the image may have been lost since it was read: they then hold zeros. A NULL function means
     * never. */
    int (*has_lost_pages)(const struct log_source *source);
    /* For an image that another process may change at any time: copies the record at the position, judges the copy, and
     * returns it; it stands until the next call. NULL: no log writes what is there. A NULL function means that the image holds
     * what this process has judged or written. */
    const struct record_header *(*fetch)(const struct log_source *source, uint64_t position);
};

/* A place in the log. Its records lie before the watermark and are not released. */
struct log_cursor {
    struct walk walk;
    size_t gap; /* index of the next gap */
};

enum log_item_kind {
    LOG_RECORD, /* a data record */
    LOG_LOSS,   /* a range that the medium lost */
};

struct log_item {
    enum log_item_kind kind;
    struct record_header header; /* LOG_RECORD: a copy */
    const uint8_t *payload;      /* LOG_RECORD: in the image, or in the copy of `fetch` */
    struct walk_gap gap;         /* LOG_LOSS */
};

/* A cursor at a position that a checkpoint has. */
struct log_cursor log_source_at(const struct log_source *source, uint64_t position, uint64_t sequence, uint32_t epoch);

/*
 * Moves the cursor over the next record or loss before `until`. Also passes over everything before it that no stream
 * gets: void ranges, markers, pads. Returns 1 with the item; 0 with the cursor at `until`; -EIO if the pages on the way
 * are lost, or hold what no log writes. A caller that has copied a payload asks log_source_is_still_there before it uses
 * the copy.
 */
int log_source_next(const struct log_source *source, struct log_cursor *cursor, uint64_t until, struct log_item *item);

/* Whether a record that was copied from `position` was whole: pages may have been lost during the copy. With `fetch` it
 * was, and the image is not looked at: another process may change it meanwhile. */
int log_source_is_still_there(const struct log_source *source, uint64_t position);

#endif

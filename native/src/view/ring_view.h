/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The content of a ring, for readers that write nothing: its head, and the log that recovery proves from its data area.
 * The ring may be at rest, or another process may write it. The engine looks at its own ring in the same way before it
 * opens it.
 */
#ifndef BURST_VIEW_RING_VIEW_H
#define BURST_VIEW_RING_VIEW_H

#include "device/device.h"
#include "ledger/ledger.h"
#include "recovery/log_source.h"

struct ring_view {
    struct ledger *ledger;
    uint64_t unreadable_bytes; /* unreadable bytes in the data area */
    struct recovery recovery;
    const uint8_t *image; /* the data area from which recovery proved the log */
    uint8_t *own_image;   /* the image's memory, if ring_view_open allocated it */
    uint64_t own_bytes;   /* size of own_image */
    /* Unless 0, judge only records before it: an earlier look proved that they were durable before the image was read. */
    uint64_t judged_position;
    uint64_t judged_sequence; /* sequence of the first record at or behind judged_position */
};

static inline const struct superblock *ring_view_superblock(const struct ring_view *view) {
    return &ledger_view(view->ledger)->superblock;
}

/*
 * Reads head and data area into memory of its own, and recovers. Writes nothing. If a writer runs meanwhile, the view
 * is the log as it was during the call. Records that were durable before and are not drained are in it, or it tells
 * them as lost; later ones may be in it.
 */
int ring_view_open(const struct platform *platform, struct device *device, struct ring_view **view);

void ring_view_close(const struct platform *platform, struct ring_view *view);

/* Recovers in the same way into `image`, while nobody writes the ring. The caller has read view->ledger. Returns 0, or
 * -errno with a sentence. */
int ring_view_recover(const struct platform *platform, struct device *device, uint8_t *image, struct ring_view *view);

/* Whether a writer can open the recovered ring. Returns 0, or with a sentence -EUCLEAN if its numbers are used up or it
 * has records of a stream that no checkpoint knows, -ENOSPC if no block is left for a marker. */
int ring_view_check(const struct device *device, const struct ring_view *view);

/* The input that recovery got, for a view that has an image. Its parts belong to the view. */
struct recovery_input ring_view_input(const struct ring_view *view);

/* The log of the view, durable up to its end. Its parts belong to the view. */
struct log_source ring_view_source(const struct ring_view *view);

/* The place of the first record that some stream has not drained. */
struct log_cursor ring_view_first(const struct ring_view *view, const struct log_source *source);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a ring holds, for those who look at it and write nothing: its head, and the log that recovery proves from its data area.
 * The ring may be at rest, or another process may write it. The engine looks at its ring in the same way before it opens it.
 */
#ifndef BURST_VIEW_RING_VIEW_H
#define BURST_VIEW_RING_VIEW_H

#include "device/device.h"
#include "ledger/ledger.h"
#include "recovery/log_source.h"

struct ring_view {
    struct ledger *ledger;
    uint64_t unreadable_bytes; /* of the data area */
    struct recovery recovery;
    const uint8_t *image;     /* what was recovered from */
    uint8_t *own_image;       /* only of ring_view_open */
    uint64_t own_bytes;       /* of it */
    uint64_t judged_position; /* 0, or what comes before was durable before the image was read; no more is judged */
    uint64_t judged_sequence; /* of the first record at or after it */
};

static inline const struct superblock *ring_view_superblock(const struct ring_view *view) {
    return &ledger_view(view->ledger)->superblock;
}

/*
 * Reads head and data area into memory of its own, and recovers; changes nothing. Beside a running writer the view is the log as it
 * was while this read: what was durable before, and is not drained, is in it or is told as lost; what came later may be in it.
 */
int ring_view_open(const struct platform *platform, struct device *device, struct ring_view **view);

void ring_view_close(const struct platform *platform, struct ring_view *view);

/* The same into `image`, while nobody writes the ring: view->ledger was read. 0 or -errno with a sentence. */
int ring_view_recover(const struct platform *platform, struct device *device, uint8_t *image, struct ring_view *view);

/* Whether a writer can open what was recovered. 0, or with a sentence -EUCLEAN: its numbers are used up, or it has records of
 * a stream that no checkpoint knows; -EPROTO: it has streams that this version does not drain; -ENOSPC: no block is left for a marker. */
int ring_view_check(const struct device *device, const struct ring_view *view);

/* What recovery was given, of a view with an image; its parts are the view's. */
struct recovery_input ring_view_input(const struct ring_view *view);

/* The log of the view, durable up to its end; its parts are the view's. */
struct log_source ring_view_source(const struct ring_view *view);

/* Where the first record stands that some stream has not drained. */
struct log_cursor ring_view_first(const struct ring_view *view, const struct log_source *source);

#endif

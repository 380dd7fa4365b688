/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a log device, and how far its log goes: docs/media-format.md, the last section, in use. */
#ifndef BURST_OUTLET_RAW_VIEW_H
#define BURST_OUTLET_RAW_VIEW_H

#include "media/raw_header.h"
#include "outlet/raw/medium.h"

struct raw_view {
    struct raw_header header; /* the first valid copy */
    enum raw_verdict copies[RAW_HEADER_COPIES];
    struct raw_end ends[RAW_END_SLOTS];
    int newest; /* the newest slot; -1: both are damaged */
};

/* Reads header and ends of the device. Returns 0 with a valid header; or with a sentence -ENODATA (not prepared),
 * -EUCLEAN (damaged), -EPROTO (of another version) or -EIO. view->copies is filled unless the header could not be
 * read. */
int raw_view_read(const struct raw_medium *medium, const char *path, struct raw_view *view);

/* The durable bytes of the log on the device; 0 if both end slots are damaged. */
static inline uint64_t raw_view_length(const struct raw_view *view) {
    return view->newest < 0 ? 0 : view->ends[view->newest].length;
}

/* Returns -EUCLEAN, with the sentence that both end slots are damaged. */
int raw_view_refuse_unknown_length(const char *path);

/* Notes in the older end slot, durably, that `length` bytes of the log are durable. The caller has made them so.
 * Returns 0, or -errno without a sentence. */
int raw_view_note(const struct raw_medium *medium, struct raw_view *view, uint64_t length);

/* Makes an empty log device. Returns 0, or -errno with a sentence. */
int raw_format(const struct platform *platform, const struct raw_medium *medium, const char *path);

#endif

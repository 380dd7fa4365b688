/* SPDX-License-Identifier: Apache-2.0 */
/* What is on a log device: how far its log goes, and its bytes. docs/media-format.md, the last section, in use. */
#ifndef BURST_OUTLET_RAW_VIEW_H
#define BURST_OUTLET_RAW_VIEW_H

#include "media/raw_header.h"
#include "outlet/raw/medium.h"

struct raw_view {
    struct raw_header header; /* of the first valid copy */
    enum raw_verdict copies[RAW_HEADER_COPIES];
    struct raw_end ends[RAW_END_SLOTS];
    int newest; /* slot; -1: both are damaged */
};

/* Reads what the device says of itself. 0 with a valid header; or with a sentence -ENODATA: it is not prepared, -EUCLEAN: what
 * it says is damaged, -EPROTO: it is of another version, -EIO. Then view->copies is filled unless it could not be read. */
int raw_view_read(const struct raw_medium *medium, const char *path, struct raw_view *view);

/* Bytes of the log that are durable on it; 0 if both slots are damaged. */
static inline uint64_t raw_view_length(const struct raw_view *view) {
    return view->newest < 0 ? 0 : view->ends[view->newest].length;
}

/* -EUCLEAN with a sentence: both slots are damaged. */
int raw_view_refuse_unknown_length(const char *path);

/* Says in the older slot, durably, that `length` bytes of the log are durable: they must be. 0 or -errno without a sentence. */
int raw_view_note(const struct raw_medium *medium, struct raw_view *view, uint64_t length);

/* Makes it a log device with no bytes. 0 or -errno with a sentence. */
int raw_format(const struct platform *platform, const struct raw_medium *medium, const char *path);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log on a block device: an outlet.
 *
 * DESIGN. Byte n of the log is at data_offset + n of the device, nothing between. Two lengths:
 *
 *     noted, in the ring's checkpoint <= end, which the device itself names <= what is written
 *
 * A sync makes the bytes durable, then the device's own end, then its caller the checkpoint. A redo begins at the noted length
 * and writes the same bytes to the same offsets. What lies before the device's own end is somebody's log: bytes there are never
 * exchanged for others. If the redo makes others (others wrote there, or the ring has lost records) it goes on behind that end.
 *
 * Which device is ours: the uuid of its format is noted as the destination's mark, with the tail of the bytes. Another uuid is
 * another device, which gets no byte, unless it is empty: that somebody has prepared it under this name is the word that the
 * log is to go on there.
 *
 * Whatever fails lets go of the device. The next call of `ready` opens it anew, judges it anew, and goes on behind the
 * checkpoint: one way back for a lost device, a failed sync and a full one. While it is full it is not held at all, so that it
 * can be read out and formatted beside the running log.
 */
#ifndef BURST_OUTLET_RAW_RAW_H
#define BURST_OUTLET_RAW_RAW_H

#include "base/events.h"
#include "outlet/outlet.h"
#include "outlet/raw/medium.h"

/* They outlive the outlet. */
struct raw_outlet_parts {
    const struct platform *platform;
    const struct raw_media *media;
    struct events *events;
    int mark_is_untrusted; /* whoever owns the ring may have made up which device was written */
};

/* 0 with a closed one, or -ENOMEM with a sentence. */
int raw_outlet_create(const struct raw_outlet_parts *parts, struct outlet **outlet);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log on a block device: an outlet.
 *
 * DESIGN. Byte n of the log is at data_offset + n of the device, without gaps. There are two durable lengths:
 *
 *     noted, in the ring's checkpoint  <=  end, which the device itself names  <=  written bytes
 *
 * A sync makes the bytes durable, then the device's own end; its caller then notes the checkpoint. A redo begins at the
 * noted length and writes the same bytes to the same offsets. The bytes before the device's own end are a log, perhaps
 * somebody else's: the outlet never replaces them by others. If the redo makes other bytes (others wrote there, or the
 * ring has lost records), it goes on behind that end.
 *
 * The uuid of its format tells which device is ours. The checkpoint has it as the destination's mark, with a CRC of the
 * last bytes. A device with another uuid gets no byte unless it is empty. An empty one was prepared under this name,
 * and that is the operator's word that the log goes on there.
 *
 * After each failure the outlet lets go of the device. The next call of `ready` opens it anew, judges it anew, and goes
 * on behind the checkpoint: one way back for a lost device, a failed sync and a full device. The outlet does not hold a
 * full device, so that the operator can read it out and format it beside the running log.
 */
#ifndef BURST_OUTLET_RAW_RAW_H
#define BURST_OUTLET_RAW_RAW_H

#include "base/events.h"
#include "outlet/outlet.h"
#include "outlet/raw/medium.h"

/* The parts outlive the outlet. */
struct raw_outlet_parts {
    const struct platform *platform;
    const struct raw_media *media;
    struct events *events;
    int mark_is_untrusted; /* the ring's owner is not trusted, so the mark proves nothing */
};

/* Makes a closed outlet. Returns 0, or -ENOMEM with a sentence. */
int raw_outlet_create(const struct raw_outlet_parts *parts, struct outlet **outlet);

#endif

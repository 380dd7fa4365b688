/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder of segments: an outlet that keeps the records of a stream unchanged.
 *
 * DESIGN. A redo begins at the noted length of the noted segment and writes the same frames to the same places, as in a
 * text file. Readers of the folder believe each whole frame, noted or not. So whole frames stay.
 *
 *     the end of a segment     The drain first notes the segment's length. Then it notes the next segment in both slots. Only
 *                              then the outlet makes its file. So no crash leads back to a segment that has a successor.
 *     no end within a redo     A segment does not end while its file has bytes behind the noted length: they may be frames that
 *                              were read, and a redo cuts the records into other batches.
 *     a redo that differs      (the ring lost records meanwhile, or is another ring.) The outlet cuts the segment behind its last
 *                              whole frame, and begins the next segment.
 *
 * After each failure the outlet lets go of folder and segment. The next call of `ready` opens them anew, and goes on
 * behind the checkpoint.
 */
#ifndef BURST_OUTLET_SEGMENTS_SEGMENTS_H
#define BURST_OUTLET_SEGMENTS_SEGMENTS_H

#include "base/events.h"
#include "base/platform.h"
#include "outlet/file/fs.h"
#include "outlet/outlet.h"

#define SEGMENTS_DEFAULT_BYTES (64ull * 1024 * 1024)

/* The parts outlive the outlet, but for the names in new_file and the stream's. */
struct segments_outlet_parts {
    const struct platform *platform;
    const struct files *files;
    struct events *events;
    struct new_file new_file;
    /* The stream's name, for the head of a new folder; NULL: nobody has the stream open. */
    const char *name;
    uint8_t ring_uuid[16];
    uint64_t segment_bytes; /* a segment ends before it would become longer; 0: the default */
};

/* Makes a closed outlet. Returns 0, or -ENOMEM with a sentence. */
int segments_outlet_create(const struct segments_outlet_parts *parts, struct outlet **outlet);

#endif

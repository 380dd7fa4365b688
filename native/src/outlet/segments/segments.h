/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder of segments: an outlet that keeps the records of a stream as they are.
 *
 * DESIGN. A redo begins at the noted length of the noted segment and writes the same frames to the same places, as for a text
 * file. Who reads the folder believes every whole frame, noted or not: so what stands there stays.
 *
 *     a segment that ends      what it has is noted first, then the next one, in both slots, before that gets a byte; its file is
 *                              made only then. So no crash leads back to a segment that has a successor
 *     no end in a redo         while the file has bytes behind the noted length the segment does not end: they may be frames
 *                              that were read, and the batches of a redo are others
 *     a redo that differs      (the ring lost records meanwhile, or is not the one of before): the segment is cut behind its last
 *                              whole frame, and the next one begins
 *
 * Whatever fails lets go of folder and segment. The next call of `ready` opens them anew, and goes on behind the checkpoint.
 */
#ifndef BURST_OUTLET_SEGMENTS_SEGMENTS_H
#define BURST_OUTLET_SEGMENTS_SEGMENTS_H

#include "base/events.h"
#include "base/platform.h"
#include "outlet/file/fs.h"
#include "outlet/outlet.h"

#define SEGMENTS_DEFAULT_BYTES (64ull * 1024 * 1024)

/* They outlive the outlet. */
struct segments_outlet_parts {
    const struct platform *platform;
    const struct files *files;
    struct events *events;
    struct new_file new_file;
    const char
        *name; /* of the stream, for the head of a new folder; NULL: nobody has it open. Need not outlive the call */
    uint8_t ring_uuid[16];
    uint64_t segment_bytes; /* a segment ends before it is longer; 0: the default */
};

/* 0 with a closed one, or -ENOMEM with a sentence. */
int segments_outlet_create(const struct segments_outlet_parts *parts, struct outlet **outlet);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goes from frame to frame of a folder of segments, which may be written meanwhile.
 *
 * DESIGN. A whole frame stays what it is (outlet/segments/segments.h), so a look needs no word of the writer: what is not whole
 * is not written yet. A segment has ended once there is one that begins with the number that is next; as the writer makes
 * that after everything before it was written, what stood at the end is looked at once more then. Bytes are read, not mapped: a
 * page of a mapping that others cut off would end the process.
 */
#ifndef BURST_CONSUME_FRAMES_H
#define BURST_CONSUME_FRAMES_H

#include "media/segment.h"

struct frames {
    int folder;
    struct segments_head head;
    int segment; /* the one that is read; -1: none */
    struct segment_header header;
    uint32_t crc_seed;
    uint64_t number; /* of the frame at `offset` of the segment */
    uint64_t offset;
    uint64_t wanted;   /* no frame below it is given */
    int64_t newest_at; /* when the folder was last changed, and had no segment behind this one; 0: that is not known */
    uint8_t *buffer;   /* bytes of the segment from `at` on */
    size_t room, count;
    uint64_t at;
};

enum { FRAMES_NONE, FRAMES_ONE, FRAMES_MISSING };

struct frame {
    uint64_t number;
    struct record_header header;
    const uint8_t *payload; /* until the next call */
    uint64_t missing;       /* FRAMES_MISSING: so many, up to `number` */
};

/* Opens the folder; the first frame that is given is that of number 1. 0, or -errno with a sentence. */
int frames_open(struct frames *frames, const char *path);

/* The same folder again. */
int frames_open_beside(struct frames *frames, const struct frames *other);

/* The next one is the first that is there of this number or a higher one. */
void frames_seek(struct frames *frames, uint64_t number);

/* The lowest number in the folder; 1 if there is none. 0 or -errno with a sentence. */
int frames_lowest(struct frames *frames, uint64_t *number);

/* The next one is the first that is not written yet. 0 or -errno with a sentence. */
int frames_seek_end(struct frames *frames);

/* The next one is the first record of which this is true, if it is true of all behind it: or, if none is yet, the first that is not
 * written. 0 or -errno with a sentence. */
struct frames_sought {
    int (*is_reached)(const struct frames_sought *sought, const struct record_header *header);
    int64_t value;
    int in_newest_ring; /* it is true of no record of another ring */
};
int frames_find(struct frames *frames, const struct frames_sought *sought);

/* How many bytes of segments are there from the next frame on. 0 or -errno with a sentence. */
int frames_bytes_left(const struct frames *frames, uint64_t *bytes);

/* FRAMES_ONE; FRAMES_NONE: no more is written yet; FRAMES_MISSING; or -errno with a sentence. */
int frames_next(struct frames *frames, struct frame *frame);

void frames_close(struct frames *frames);

#endif

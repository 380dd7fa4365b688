/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goes from frame to frame of a folder of segments, which a log may write meanwhile.
 *
 * DESIGN. A whole frame never changes (outlet/segments/segments.h), so a reader needs no word of the writer: a frame
 * that is not whole is not written yet. A segment has ended once another one begins with the next number. The writer
 * makes that one after everything before it was written, so the reader then looks once more at the end of the segment.
 * It reads bytes and maps none: a page of a mapping that others cut off would end the process.
 */
#ifndef BURST_CONSUME_FRAMES_H
#define BURST_CONSUME_FRAMES_H

#include "media/segment.h"

struct frames {
    int folder;
    struct segments_head head;
    int segment; /* the segment that is read; -1: none */
    struct segment_header header;
    uint32_t crc_seed;
    uint64_t number; /* number of the frame at `offset` of the segment */
    uint64_t offset;
    uint64_t wanted;   /* frames below it are passed over */
    int64_t newest_at; /* time of the folder's last change, if no segment followed this one then; 0: unknown */
    uint8_t *buffer;   /* bytes of the segment, from `at` on */
    size_t room, count;
    uint64_t at;
};

enum { FRAMES_NONE, FRAMES_ONE, FRAMES_MISSING };

struct frame {
    uint64_t number;
    struct record_header header;
    const uint8_t *payload; /* valid until the next call */
    uint64_t missing;       /* FRAMES_MISSING: so many numbers, the last of them `number` */
};

/* Opens the folder, at number 1. Returns 0, or -errno with a sentence. */
int frames_open(struct frames *frames, const char *path);

/* Opens the folder of `other` again, at number 1. */
int frames_open_beside(struct frames *frames, const struct frames *other);

/* Goes to the first existing frame of this number or a higher one. */
void frames_seek(struct frames *frames, uint64_t number);

/* The lowest number in the folder; 1 in an empty one. Returns 0, or -errno with a sentence. */
int frames_lowest(struct frames *frames, uint64_t *number);

/* Goes to the first frame that is not written yet. Returns 0, or -errno with a sentence. */
int frames_seek_end(struct frames *frames);

/* Goes to the first record that satisfies the predicate, or to the end if none does. The predicate is monotone: it
 * holds for all records behind that one. Goes to a loss directly before it instead, unless the lost records had lower
 * sequences than the predicate wants. Returns 0, or -errno with a sentence. */
struct frames_sought {
    int (*is_reached)(const struct frames_sought *sought, const struct record_header *header);
    int64_t value;
    int in_newest_ring; /* records of any ring but the newest one do not satisfy it */
};
int frames_find(struct frames *frames, const struct frames_sought *sought);

/* How many bytes the segments have from the next frame on. Returns 0, or -errno with a sentence. */
int frames_bytes_left(const struct frames *frames, uint64_t *bytes);

/* Takes the next frame. Returns FRAMES_ONE, FRAMES_NONE if no more is written yet, FRAMES_MISSING, or -errno with a
 * sentence. */
int frames_next(struct frames *frames, struct frame *frame);

/* Takes frames up to the next record, and passes over what is missing or lost. Returns FRAMES_ONE, FRAMES_NONE if no
 * record is written yet, or -errno with a sentence. */
int frames_next_record(struct frames *frames, struct frame *frame);

void frames_close(struct frames *frames);

#endif

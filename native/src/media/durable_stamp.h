/* SPDX-License-Identifier: Apache-2.0 */
/* Durable stamps, which say when records became durable, and their codec. No I/O. */
#ifndef BURST_MEDIA_DURABLE_STAMP_H
#define BURST_MEDIA_DURABLE_STAMP_H

#include "media/walk.h"

/*
 * When records became durable. A commit has the stamp of the commit before it, behind its LAST record, if the rest of
 * the block has room for it. A note has the stamp of its watermark right behind it. It is knowledge about time only: no
 * part of the log depends on it. Writers of memory (mapped rings) write none.
 */
struct durable_stamp {
    uint64_t position;      /* a watermark: all records of the epoch before it were durable ... */
    uint64_t next_sequence; /* ... which are those below this sequence ... */
    int64_t durable_ns;     /* ... at this time, CLOCK_REALTIME; the last of them only since then */
    uint32_t epoch;         /* epoch of the open that wrote it */
    uint32_t crc;           /* CRC32C of all bytes before it, seeded with the ring's uuid */
};

_Static_assert(offsetof(struct durable_stamp, durable_ns) == 16, "durable_stamp.durable_ns");
_Static_assert(offsetof(struct durable_stamp, crc) == 28, "durable_stamp.crc");
_Static_assert(sizeof(struct durable_stamp) == 32, "durable_stamp size");

/* The writer fills the slot of a note with this. */
struct writer_note_block {
    struct writer_note note;
    struct durable_stamp stamp; /* of the note's watermark; zeros: its time is not known */
};

_Static_assert(offsetof(struct writer_note_block, stamp) == 64, "writer_note_block.stamp");

/* Sets the CRC of a stamp whose other fields are filled. */
void durable_stamp_seal(struct durable_stamp *stamp, uint32_t crc_seed);

/*
 * Reads the stamp behind the record of this header, or of this copy of it, which the caller knows to be whole and LAST. It
 * is the stamp of the commit before that record's. Returns 1; 0 if there is none: no room, memory, an older version, a
 * block that was torn.
 */
int durable_stamp_read(const uint8_t *image, const struct walk_shape *shape, uint32_t crc_seed,
                       const struct record_header *header, struct durable_stamp *stamp);

/* Whether the stamp behind a valid note is whole, and of the note's watermark. */
int durable_stamp_is_of(const struct durable_stamp *stamp, const struct writer_note *note, uint32_t crc_seed);

#endif

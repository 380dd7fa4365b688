/* SPDX-License-Identifier: Apache-2.0 */
/* The codec of durable stamps: when records became durable. No I/O. */
#ifndef BURST_MEDIA_DURABLE_STAMP_H
#define BURST_MEDIA_DURABLE_STAMP_H

#include "media/walk.h"

/* Sets the CRC of a stamp whose other fields are filled. */
void durable_stamp_seal(struct durable_stamp *stamp, uint32_t crc_seed);

/*
 * Reads the stamp behind the record at `position`, which the caller knows to be whole and LAST. It is the stamp of the
 * commit before that record's. Returns 1; 0 if there is none: no room, memory, an older version, a block that was torn.
 */
int durable_stamp_read(const uint8_t *image, const struct walk_shape *shape, uint32_t crc_seed, uint64_t position,
                       struct durable_stamp *stamp);

/* Whether the stamp behind a valid note is whole, and of the note's watermark. */
int durable_stamp_is_of(const struct durable_stamp *stamp, const struct writer_note *note, uint32_t crc_seed);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The codec of the writer's notes. No I/O. */
#ifndef BURST_MEDIA_WRITER_NOTE_H
#define BURST_MEDIA_WRITER_NOTE_H

#include "media/layout.h"

/* Sets magic and CRC of a note whose other fields are filled. */
void writer_note_seal(struct writer_note *note, uint32_t crc_seed);

/* Whether the note belongs to this ring, is whole, and is plausible. */
int writer_note_is_valid(const struct writer_note *note, uint32_t crc_seed);

#endif

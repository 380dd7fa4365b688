/* SPDX-License-Identifier: Apache-2.0 */
#include "media/writer_note.h"

#include "base/crc32c.h"

static uint32_t writer_note_crc(const struct writer_note *note, uint32_t crc_seed) {
    return crc32c(crc_seed, note, offsetof(struct writer_note, crc));
}

void writer_note_seal(struct writer_note *note, uint32_t crc_seed) {
    note->magic = WRITER_NOTE_MAGIC;
    note->crc = writer_note_crc(note, crc_seed);
}

int writer_note_is_valid(const struct writer_note *note, uint32_t crc_seed) {
    return note->magic == WRITER_NOTE_MAGIC && note->crc == writer_note_crc(note, crc_seed) &&
           note->generation <= LAYOUT_NUMBER_MAX && note->durable_position <= LAYOUT_NUMBER_MAX &&
           note->durable_position % RECORD_ALIGN_BYTES == 0 && note->next_sequence >= 1 &&
           note->next_sequence <= LAYOUT_NUMBER_MAX && note->in_flight_end <= LAYOUT_NUMBER_MAX;
}

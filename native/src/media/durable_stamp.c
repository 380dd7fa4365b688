/* SPDX-License-Identifier: Apache-2.0 */
#include "media/durable_stamp.h"

#include <string.h>

#include "base/crc32c.h"

static uint32_t stamp_crc(const struct durable_stamp *stamp, uint32_t crc_seed) {
    return crc32c(crc_seed, stamp, offsetof(struct durable_stamp, crc));
}

void durable_stamp_seal(struct durable_stamp *stamp, uint32_t crc_seed) {
    stamp->crc = stamp_crc(stamp, crc_seed);
}

/* The bytes may be of a commit that stood here before: a lap ago, or in an epoch whose end was void. A stamp of this
 * place and this commit is of the record's epoch, and less than a lap before it. */
int durable_stamp_read(const uint8_t *image, const struct walk_shape *shape, uint32_t crc_seed,
                       const struct record_header *header, struct durable_stamp *stamp) {
    const uint64_t end = header->position + record_bytes(header->length);
    const uint64_t room = align_up(end, shape->block_bytes) - end;
    if (shape->line_bytes != 0 || header->type == RECORD_MARKER || (header->flags & RECORD_LAST) == 0 ||
        room < sizeof *stamp) {
        return 0;
    }
    memcpy(stamp, image + end % shape->capacity_bytes, sizeof *stamp);
    return stamp->crc == stamp_crc(stamp, crc_seed) && stamp->epoch == header->epoch && stamp->durable_ns > 0 &&
           stamp->position <= header->durable_position && end - stamp->position <= shape->capacity_bytes &&
           stamp->next_sequence <= header->sequence - header->in_flight;
}

int durable_stamp_is_of(const struct durable_stamp *stamp, const struct writer_note *note, uint32_t crc_seed) {
    return stamp->crc == stamp_crc(stamp, crc_seed) && stamp->position == note->durable_position &&
           stamp->next_sequence == note->next_sequence && stamp->epoch == note->epoch && stamp->durable_ns > 0;
}

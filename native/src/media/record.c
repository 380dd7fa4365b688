/* SPDX-License-Identifier: Apache-2.0 */
#include "media/record.h"

#include <stddef.h>

#include "base/crc32c.h"

uint32_t crc_seed_of(const uint8_t uuid[16]) {
    return crc32c(0, uuid, 16);
}

/* Refuses a header that no writer makes and that would lead a reader outside the ring. The CRC cannot tell that. */
static int is_plausible(const struct record_header *header) {
    return header->durable_position <= header->position && header->durable_position % RECORD_ALIGN_BYTES == 0 &&
           header->in_flight < header->sequence && header->sequence <= LAYOUT_NUMBER_MAX;
}

int record_header_is_whole(const struct record_header *header, uint64_t capacity, uint64_t position,
                           uint32_t crc_seed) {
    return header->position == position && record_bytes(header->length) <= lap_remaining(position, capacity) &&
           is_plausible(header) && header->type >= RECORD_DATA && header->type <= RECORD_MARKER &&
           header->header_crc == crc32c(crc_seed, header, RECORD_CRC_COVERS);
}

int record_has_header(const uint8_t *image, uint64_t capacity, uint64_t position, uint32_t crc_seed) {
    return lap_remaining(position, capacity) >= RECORD_HEADER_BYTES &&
           record_header_is_whole(record_at(image, capacity, position), capacity, position, crc_seed);
}

enum record_verdict record_judge(const uint8_t *image, uint64_t capacity, uint64_t position, uint32_t crc_seed) {
    if (!record_has_header(image, capacity, position, crc_seed)) {
        return RECORD_INVALID;
    }
    return record_judge_payload(record_at(image, capacity, position));
}

enum record_verdict record_judge_payload(const struct record_header *header) {
    if (header->type == RECORD_PAD) {
        return RECORD_VALID;
    }
    return header->payload_crc == crc32c(0, record_payload(header), header->length) ? RECORD_VALID : RECORD_HEADER_ONLY;
}

int marker_is_whole(const struct record_header *header, uint64_t block_bytes) {
    const struct marker *marker = marker_of(header);
    return header->position % block_bytes == 0 && (header->flags & RECORD_LAST) != 0 &&
           header->length >= offsetof(struct marker, losses) && marker->loss_count <= MARKER_LOSSES_MAX &&
           header->length == offsetof(struct marker, losses) + marker->loss_count * sizeof marker->losses[0] &&
           marker->log_end <= header->position && marker->log_end % RECORD_ALIGN_BYTES == 0;
}

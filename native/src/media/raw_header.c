/* SPDX-License-Identifier: Apache-2.0 */
#include "media/raw_header.h"

#include <string.h>

#include "base/crc32c.h"

static uint32_t header_crc(const struct raw_header *header) {
    return crc32c(0, header, offsetof(struct raw_header, crc));
}

static uint32_t end_crc(const struct raw_end *end, const struct raw_header *header) {
    return crc32c(crc32c(0, header->uuid, sizeof header->uuid), end, offsetof(struct raw_end, crc));
}

void raw_header_make(struct raw_header *header, uint64_t medium_bytes, const uint8_t uuid[16], int64_t created_ns) {
    memset(header, 0, sizeof *header);
    header->magic = RAW_HEADER_MAGIC;
    header->version = RAW_VERSION;
    header->header_bytes = sizeof *header;
    memcpy(header->uuid, uuid, sizeof header->uuid);
    header->data_offset = RAW_DATA_OFFSET;
    header->capacity_bytes = medium_bytes - RAW_DATA_OFFSET;
    header->medium_bytes = medium_bytes;
    header->created_ns = created_ns;
    header->crc = header_crc(header);
}

enum raw_verdict raw_header_judge(const struct raw_header *header) {
    if (header->magic != RAW_HEADER_MAGIC) {
        return RAW_ABSENT;
    }
    if (header->crc != header_crc(header)) {
        return RAW_DAMAGED;
    }
    if (header->version != RAW_VERSION) {
        return RAW_UNKNOWN;
    }
    if (header->header_bytes != sizeof *header || header->data_offset != RAW_DATA_OFFSET ||
        header->capacity_bytes < RAW_MIN_CAPACITY_BYTES || header->capacity_bytes > RAW_MAX_CAPACITY_BYTES ||
        header->medium_bytes < header->data_offset + header->capacity_bytes) {
        return RAW_DAMAGED;
    }
    return RAW_VALID;
}

void raw_end_make(struct raw_end *end, const struct raw_header *header, uint64_t generation, uint64_t length) {
    memset(end, 0, sizeof *end);
    end->magic = RAW_END_MAGIC;
    end->generation = generation;
    end->length = length;
    end->crc = end_crc(end, header);
}

static int is_valid(const struct raw_end *end, const struct raw_header *header) {
    return end->magic == RAW_END_MAGIC && end->crc == end_crc(end, header) && end->generation > 0 &&
           end->generation <= LAYOUT_NUMBER_MAX && end->length <= header->capacity_bytes;
}

int raw_end_newest(const struct raw_end ends[RAW_END_SLOTS], const struct raw_header *header) {
    int newest = -1;
    for (int slot = 0; slot < (int)RAW_END_SLOTS; slot++) {
        if (is_valid(&ends[slot], header) && (newest < 0 || ends[slot].generation > ends[newest].generation)) {
            newest = slot;
        }
    }
    return newest;
}

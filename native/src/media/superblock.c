/* SPDX-License-Identifier: Apache-2.0 */
#include "media/superblock.h"

#include <string.h>

#include "base/crc32c.h"

static uint32_t superblock_crc(const struct superblock *superblock) {
    return crc32c(0, superblock, offsetof(struct superblock, crc));
}

void superblock_make(struct superblock *superblock, uint64_t ring_bytes, uint64_t medium_bytes, uint32_t block_bytes,
                     uint32_t logical_block_bytes, uint64_t incompatible, const uint8_t uuid[16], int64_t created_ns) {
    memset(superblock, 0, sizeof *superblock);
    superblock->magic = SUPERBLOCK_MAGIC;
    superblock->version = LAYOUT_VERSION;
    superblock->superblock_bytes = sizeof *superblock;
    superblock->incompatible = incompatible;
    memcpy(superblock->uuid, uuid, 16);
    superblock->data_offset = LAYOUT_DATA_OFFSET;
    superblock->capacity_bytes = align_down(ring_bytes - LAYOUT_DATA_OFFSET, block_bytes);
    superblock->medium_bytes = medium_bytes;
    superblock->block_bytes = block_bytes;
    superblock->logical_block_bytes = logical_block_bytes;
    superblock->record_align_bytes = RECORD_ALIGN_BYTES;
    superblock->checkpoint_bytes = LAYOUT_CHECKPOINT_BYTES;
    superblock->created_ns = created_ns;
    superblock->crc = superblock_crc(superblock);
}

static int is_power_of_two(uint64_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

enum superblock_verdict superblock_judge(const struct superblock *superblock) {
    if (superblock->magic != SUPERBLOCK_MAGIC) {
        return SUPERBLOCK_ABSENT;
    }
    if (superblock->crc != superblock_crc(superblock)) {
        return SUPERBLOCK_DAMAGED;
    }
    if (superblock->version != LAYOUT_VERSION || (superblock->incompatible & ~(uint64_t)SUPERBLOCK_LINES) != 0 ||
        superblock->record_align_bytes != RECORD_ALIGN_BYTES) {
        return SUPERBLOCK_UNKNOWN;
    }
    const uint64_t block = superblock->block_bytes;
    if (!is_power_of_two(block) || block < LAYOUT_MIN_BLOCK_BYTES || block > LAYOUT_MAX_BLOCK_BYTES ||
        superblock->superblock_bytes != sizeof *superblock || superblock->checkpoint_bytes != LAYOUT_CHECKPOINT_BYTES ||
        superblock->data_offset != LAYOUT_DATA_OFFSET || superblock->capacity_bytes % block != 0 ||
        superblock->capacity_bytes < LAYOUT_MIN_CAPACITY_BLOCKS * block ||
        superblock->capacity_bytes > LAYOUT_MAX_CAPACITY_BYTES ||
        superblock->medium_bytes < superblock->data_offset + superblock->capacity_bytes) {
        return SUPERBLOCK_DAMAGED;
    }
    return SUPERBLOCK_VALID;
}

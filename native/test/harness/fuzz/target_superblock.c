/* SPDX-License-Identifier: Apache-2.0 */
/* Any 512 bytes as a superblock: the geometry of a valid one must lead nowhere beyond its medium. */
#include <string.h>

#include "base/crc32c.h"
#include "harness/fuzz/violation.h"
#include "media/superblock.h"
#include "harness/simulator/world.h"

static void check_geometry(const struct superblock *superblock) {
    const uint64_t block = superblock->block_bytes;
    MUST(block >= 4096 && block <= 65536 && (block & (block - 1)) == 0);
    MUST(superblock->capacity_bytes >= 8 * block && superblock->capacity_bytes <= 1ull << 38);
    MUST(superblock->capacity_bytes % block == 0);
    MUST(superblock->data_offset == 1u << 20);
    MUST(superblock->medium_bytes >= superblock->data_offset &&
         superblock->medium_bytes - superblock->data_offset >= superblock->capacity_bytes);
    MUST(superblock->version == LAYOUT_VERSION && superblock->incompatible <= SUPERBLOCK_LINES &&
         superblock->record_align_bytes == 8);
    MUST(superblock->crc == crc32c(0, superblock, sizeof *superblock - 4));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct superblock superblock = {0};
    memcpy(&superblock, data, size < sizeof superblock ? size : sizeof superblock);
    const enum superblock_verdict verdict = superblock_judge(&superblock);
    MUST(verdict == SUPERBLOCK_VALID || verdict == SUPERBLOCK_ABSENT || verdict == SUPERBLOCK_DAMAGED ||
         verdict == SUPERBLOCK_UNKNOWN);
    if (verdict == SUPERBLOCK_VALID) {
        check_geometry(&superblock);
        superblock.created_ns ^= 1;
        MUST(superblock_judge(&superblock) == SUPERBLOCK_DAMAGED);
    }
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    struct superblock superblock = {0};
    size = LLVMFuzzerMutate(data, size, room);
    if (seed % 8 == 0 || room < sizeof superblock) {
        return size;
    }
    memcpy(&superblock, data, size < sizeof superblock ? size : sizeof superblock);
    superblock.magic = seed % 8 == 1 ? superblock.magic : SUPERBLOCK_MAGIC;
    superblock.crc = crc32c(0, &superblock, offsetof(struct superblock, crc));
    memcpy(data, &superblock, sizeof superblock);
    return sizeof superblock;
}

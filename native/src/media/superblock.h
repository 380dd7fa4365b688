/* SPDX-License-Identifier: Apache-2.0 */
/* The superblock codec. No I/O. */
#ifndef BURST_MEDIA_SUPERBLOCK_H
#define BURST_MEDIA_SUPERBLOCK_H

#include "media/layout.h"

/* Fills a superblock for a medium. The capacity is as many whole blocks as `ring_bytes` has room for. incompatible: enum
 * superblock_incompatible. */
void superblock_make(struct superblock *superblock, uint64_t ring_bytes, uint64_t medium_bytes, uint32_t block_bytes,
                     uint32_t logical_block_bytes, uint64_t incompatible, const uint8_t uuid[16], int64_t created_ns);

enum superblock_verdict {
    SUPERBLOCK_VALID,
    SUPERBLOCK_ABSENT,  /* no magic: no ring, or this copy is lost */
    SUPERBLOCK_DAMAGED, /* the magic is there, but the CRC is wrong, or a field has a value that no ring can have */
    SUPERBLOCK_UNKNOWN, /* whole, but of another version or with an unknown incompatible feature */
};

enum superblock_verdict superblock_judge(const struct superblock *superblock);

/* Commits of this ring end at a multiple of this many bytes; 0: they end at the end of a block. */
static inline uint32_t superblock_line_bytes(const struct superblock *superblock) {
    return superblock->incompatible & SUPERBLOCK_LINES ? LAYOUT_LINE_BYTES : 0;
}

#endif

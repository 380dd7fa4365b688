/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of the plug-pull test. Block 0 of the medium describes the test and has number 0. Number n >= 1 stands in
 * block 1 + (n - 1) % slots. Each block is written alone and durably, and n + 1 only after n was acknowledged. The
 * engines take turns: each writes a run of blocks, and after the last engine the first one goes on.
 */
#ifndef BURST_CLI_VERIFY_BLOCK_H
#define BURST_CLI_VERIFY_BLOCK_H

#include <string.h>

#include "base/crc32c.h"

#define VERIFY_MAGIC 0x3259464952455642ull /* "BVERIFY2" */
#define VERIFY_TURNS 8u

struct verify_turn {
    uint32_t io; /* enum burst_io; 0: no turn follows */
    uint32_t blocks;
};

struct verify_block {
    uint64_t magic;
    uint64_t test_id; /* random; tells this test's blocks from those of an earlier test */
    uint64_t number;
    int64_t time_ns; /* CLOCK_REALTIME just before the write */
    uint64_t slots;
    uint32_t block_bytes;
    uint32_t crc; /* CRC32C of the whole block, with zero in this field */
    struct verify_turn turns[VERIFY_TURNS];
};

/* How many blocks all engines write in one turn each. */
static inline uint64_t verify_round(const struct verify_block *test) {
    uint64_t round = 0;
    for (uint32_t i = 0; i < VERIFY_TURNS && test->turns[i].io != 0; i++) {
        round += test->turns[i].blocks;
    }
    return round;
}

/* The turn that block `number` >= 1 belongs to, as an index of turns. */
static inline uint32_t verify_turn_of(const struct verify_block *test, uint64_t number) {
    const uint64_t round = verify_round(test);
    uint64_t at = round == 0 ? 0 : (number - 1) % round;
    for (uint32_t i = 0; i < VERIFY_TURNS && test->turns[i].io != 0; i++) {
        if (at < test->turns[i].blocks) {
            return i;
        }
        at -= test->turns[i].blocks;
    }
    return 0;
}

/* The last block of the turn that block `number` >= 1 belongs to; UINT64_MAX if one engine alone writes. */
static inline uint64_t verify_turn_end(const struct verify_block *test, uint64_t number) {
    const uint64_t round = verify_round(test);
    if (test->turns[1].io == 0 || round == 0) {
        return UINT64_MAX;
    }
    uint64_t end = (number - 1) / round * round;
    for (uint32_t i = 0; end < number; i++) {
        end += test->turns[i].blocks;
    }
    return end;
}

static inline uint64_t verify_block_offset(uint64_t number, uint64_t slots, uint32_t block_bytes) {
    return number == 0 ? 0 : (1 + (number - 1) % slots) * block_bytes;
}

static inline uint32_t verify_crc(const uint8_t *block, uint32_t block_bytes) {
    struct verify_block header;
    memcpy(&header, block, sizeof header);
    header.crc = 0;
    return crc32c(crc32c(0, &header, sizeof header), block + sizeof header, block_bytes - sizeof header);
}

/* Fills each sector of each block differently, so that a mix of two blocks has a wrong CRC. */
static inline void verify_fill(uint8_t *block, const struct verify_block *header) {
    uint64_t word = header->number * 0x9e3779b97f4a7c15ull ^ header->test_id;
    for (uint32_t at = sizeof *header; at + sizeof word <= header->block_bytes; at += sizeof word) {
        word ^= word << 13, word ^= word >> 7, word ^= word << 17;
        memcpy(block + at, &word, sizeof word);
    }
    struct verify_block sealed = *header;
    sealed.crc = 0;
    memcpy(block, &sealed, sizeof sealed);
    sealed.crc = verify_crc(block, header->block_bytes);
    memcpy(block, &sealed, sizeof sealed);
}

enum verify_verdict { VERIFY_WHOLE, VERIFY_TORN, VERIFY_FOREIGN };

/* TORN: the block begins as one of a test, but its CRC is wrong. */
static inline enum verify_verdict verify_judge_block(const uint8_t *block, uint32_t block_bytes,
                                                     struct verify_block *header) {
    memcpy(header, block, sizeof *header);
    if (header->magic != VERIFY_MAGIC || header->block_bytes != block_bytes) {
        return VERIFY_FOREIGN;
    }
    return header->crc == verify_crc(block, block_bytes) ? VERIFY_WHOLE : VERIFY_TORN;
}

#endif

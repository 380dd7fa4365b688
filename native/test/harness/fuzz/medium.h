/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small medium as fuzz input. An input is a list of runs over the words of `struct medium`, which is otherwise zero:
 *
 *     16 bits: words to skip | 16 bits: words of the run, with RUN_IS_FILL one word stands for all | the words
 *
 * Every input is a medium, and every medium has an input that is about as long as what is written on it.
 */
#ifndef BURST_TEST_FUZZ_MEDIUM_H
#define BURST_TEST_FUZZ_MEDIUM_H

#include "media/checkpoint.h"
#include "harness/simulator/world.h"

#define FUZZ_BLOCKS LAYOUT_MIN_CAPACITY_BLOCKS
#define FUZZ_CAPACITY (FUZZ_BLOCKS * WORLD_BLOCK_BYTES)
#define RUN_IS_FILL 0x8000u

#define FUZZ_STREAMS 3u

/* What such a slot can hold: the streams that its head counts, then their strings. */
struct fuzz_checkpoint {
    struct checkpoint_head head;
    struct checkpoint_entry streams[FUZZ_STREAMS];
    uint8_t strings[384];
};

struct medium {
    uint8_t options[8]; /* the target's */
    struct superblock superblocks[LAYOUT_SUPERBLOCK_COPIES];
    struct writer_note notes[LAYOUT_NOTE_SLOTS];
    struct fuzz_checkpoint checkpoints[LAYOUT_CHECKPOINT_SLOTS];
    _Alignas(8) uint8_t data[FUZZ_CAPACITY];
};

#define MEDIUM_WORDS (sizeof(struct medium) / 8)

void medium_decode(struct medium *medium, const uint8_t *input, size_t bytes);

/* Returns the length, or 0 if there is not enough room. */
size_t medium_encode(const struct medium *medium, uint8_t *input, size_t room);

uint32_t medium_crc_seed(const struct medium *medium);

/* Makes the CRC of a slot right, if it claims no more than it can hold. */
void medium_seal_checkpoint(struct fuzz_checkpoint *checkpoint, uint32_t crc_seed);

/* Changes something that means something, and mends CRCs, mostly. */
void medium_mutate(struct medium *medium, uint64_t random);

/* A world whose ring medium is this one; its files are none. One and the same at every call. */
struct world *medium_to_world(const struct medium *medium);

/* The allocation after `allocations` more fails; < 0: none does. Until the next medium_to_world. */
void medium_fail_allocation(struct world *world, int allocations);

/* And back. */
void medium_from_world(struct medium *medium, const struct world *world);

#endif

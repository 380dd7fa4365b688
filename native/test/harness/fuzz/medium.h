/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small medium as fuzz input. An input is a list of runs over the words of `struct medium`; all other words are zero.
 *
 *     16 bits: words to skip | 16 bits: words of the run, with RUN_IS_FILL one word stands for all | the words
 *
 * Every input is a medium. Every medium has an input, which is about as long as the bytes that are written on it.
 */
#ifndef BURST_TEST_FUZZ_MEDIUM_H
#define BURST_TEST_FUZZ_MEDIUM_H

#include "media/checkpoint.h"
#include "harness/simulator/world.h"

#define FUZZ_BLOCKS LAYOUT_MIN_CAPACITY_BLOCKS
#define FUZZ_CAPACITY (FUZZ_BLOCKS * WORLD_BLOCK_BYTES)
#define RUN_IS_FILL 0x8000u

#define FUZZ_STREAMS 3u

/* The contents of such a slot: the streams that its head counts, then their strings. */
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

/* Returns the input's length; 0: there is not enough room. */
size_t medium_encode(const struct medium *medium, uint8_t *input, size_t room);

uint32_t medium_crc_seed(const struct medium *medium);

/* Sets the CRC of a slot, if the slot claims no more than it can hold. */
void medium_seal_checkpoint(struct fuzz_checkpoint *checkpoint, uint32_t crc_seed);

/* Changes something that has a meaning, and usually mends the CRCs. */
void medium_mutate(struct medium *medium, uint64_t random);

/* A world with this ring medium and no files. Each call returns the same world. */
struct world *medium_to_world(const struct medium *medium);

/* Lets the allocation after so many more fail; < 0: none fails. This ends at the next medium_to_world. */
void medium_fail_allocation(struct world *world, int allocations);

/* And back. */
void medium_from_world(struct medium *medium, const struct world *world);

#endif

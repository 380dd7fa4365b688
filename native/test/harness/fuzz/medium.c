/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/fuzz/medium.h"

#include <sanitizer/asan_interface.h>
#include <string.h>

#include "harness/fuzz/violation.h"
#include "media/record.h"

#define FILL_FROM 4u /* so many equal words are shorter as a fill */

static uint16_t get16(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static void put16(uint8_t *bytes, size_t value) {
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

void medium_decode(struct medium *medium, const uint8_t *input, size_t bytes) {
    memset(medium, 0, sizeof *medium);
    uint8_t *out = (uint8_t *)medium;
    size_t word = 0;
    for (size_t at = 0; at + 4 <= bytes;) {
        word += get16(input + at);
        size_t count = get16(input + at + 2);
        at += 4;
        const int fill = (count & RUN_IS_FILL) != 0;
        count &= ~RUN_IS_FILL;
        for (size_t i = 0; i < count && word < MEDIUM_WORDS && at + 8 <= bytes; i++, word++, at += fill ? 0 : 8) {
            memcpy(out + 8 * word, input + at, 8);
        }
        at += fill ? 8 : 0;
    }
}

static uint64_t word_at(const struct medium *medium, size_t word) {
    uint64_t value;
    memcpy(&value, (const uint8_t *)medium + 8 * word, 8);
    return value;
}

static size_t equal_words(const struct medium *medium, size_t word) {
    size_t count = 1;
    while (word + count < MEDIUM_WORDS && word_at(medium, word + count) == word_at(medium, word)) {
        count++;
    }
    return count;
}

/* Counts the words from here that are neither zero nor worth a fill. */
static size_t plain_words(const struct medium *medium, size_t word) {
    size_t count = 0;
    while (word + count < MEDIUM_WORDS && word_at(medium, word + count) != 0 &&
           equal_words(medium, word + count) < FILL_FROM) {
        count++;
    }
    return count;
}

size_t medium_encode(const struct medium *medium, uint8_t *input, size_t room) {
    size_t used = 0, told = 0;
    for (size_t word = 0; word < MEDIUM_WORDS;) {
        const size_t equal = equal_words(medium, word);
        if (word_at(medium, word) == 0) {
            word += equal;
            continue;
        }
        const size_t plain = plain_words(medium, word);
        const size_t count = plain > 0 ? plain : equal, bytes = 8 * (plain > 0 ? plain : 1);
        if (room - used < 4 + bytes) {
            return 0;
        }
        put16(input + used, word - told);
        put16(input + used + 2, count | (plain > 0 ? 0 : RUN_IS_FILL));
        memcpy(input + used + 4, (const uint8_t *)medium + 8 * word, bytes);
        used += 4 + bytes;
        word = told = word + count;
    }
    return used;
}

uint32_t medium_crc_seed(const struct medium *medium) {
    return crc_seed_of(medium->superblocks[0].uuid);
}

void medium_seal_checkpoint(struct fuzz_checkpoint *checkpoint, uint32_t crc_seed) {
    uint8_t *const slot = (uint8_t *)checkpoint;
    const size_t bytes = checkpoint_claims(slot);
    if (bytes > 0 && bytes <= sizeof *checkpoint) {
        const struct checkpoint_facts facts = checkpoint_facts(slot);
        checkpoint_seal(slot, &facts, crc_seed);
    }
}

static const struct platform_ops *platform_as_it_is;
static int fail_in = -1;

static void *allocate_or_fail(const struct platform *platform, size_t bytes, enum platform_memory image) {
    return fail_in >= 0 && fail_in-- == 0 ? NULL : platform_as_it_is->allocate(platform, bytes, image);
}

void medium_fail_allocation(struct world *world, int allocations) {
    static struct platform_ops ops;
    if (platform_as_it_is == NULL) {
        platform_as_it_is = world->platform.ops;
        ops = *platform_as_it_is;
        ops.allocate = allocate_or_fail;
        world->platform.ops = &ops;
    }
    fail_in = allocations;
}

struct world *medium_to_world(const struct medium *medium) {
    static struct world *world, *empty;
    if (world == NULL) {
        world = world_create();
        empty = world_create();
        world_reset(empty, FUZZ_BLOCKS, 1);
        ASAN_POISON_MEMORY_REGION(world->device.image + FUZZ_CAPACITY,
                                  WORLD_BLOCKS_MAX * WORLD_BLOCK_BYTES - FUZZ_CAPACITY);
    }
    world_copy(world, empty);
    fail_in = -1;
    for (unsigned i = 0; i < LAYOUT_SUPERBLOCK_COPIES; i++) {
        memcpy(world->device.medium + i * MEDIUM_SLOT_BYTES, &medium->superblocks[i], sizeof medium->superblocks[i]);
    }
    for (unsigned i = 0; i < LAYOUT_NOTE_SLOTS; i++) {
        memcpy(world->device.medium + sim_device_place(LAYOUT_NOTE_OFFSET(i)), &medium->notes[i],
               sizeof medium->notes[i]);
    }
    for (unsigned i = 0; i < LAYOUT_CHECKPOINT_SLOTS; i++) {
        memcpy(world_checkpoint(world, i), &medium->checkpoints[i], sizeof medium->checkpoints[i]);
    }
    memcpy(world->device.medium + MEDIUM_DATA, medium->data, sizeof medium->data);
    return world;
}

void medium_from_world(struct medium *medium, const struct world *world) {
    memset(medium, 0, sizeof *medium);
    for (unsigned i = 0; i < LAYOUT_SUPERBLOCK_COPIES; i++) {
        memcpy(&medium->superblocks[i], world->device.medium + i * MEDIUM_SLOT_BYTES, sizeof medium->superblocks[i]);
    }
    for (unsigned i = 0; i < LAYOUT_NOTE_SLOTS; i++) {
        memcpy(&medium->notes[i], world->device.medium + sim_device_place(LAYOUT_NOTE_OFFSET(i)),
               sizeof medium->notes[i]);
    }
    for (unsigned i = 0; i < LAYOUT_CHECKPOINT_SLOTS; i++) {
        memcpy(&medium->checkpoints[i], world->device.medium + sim_device_place(LAYOUT_CHECKPOINT_OFFSET(i)),
               sizeof medium->checkpoints[i]);
    }
    memcpy(medium->data, world->device.medium + MEDIUM_DATA, sizeof medium->data);
}

/* The mutator of targets whose input is a medium: they link this file. Other targets bring their own mutator. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    static struct medium medium;
    uint64_t random = seed;
    if (random_next(&random) % 4 == 0) {
        return LLVMFuzzerMutate(data, size, room);
    }
    medium_decode(&medium, data, size);
    for (uint64_t steps = 1 + random_next(&random) % 3; steps > 0; steps--) {
        medium_mutate(&medium, random_next(&random));
    }
    const size_t encoded = medium_encode(&medium, data, room);
    return encoded > 0 ? encoded : LLVMFuzzerMutate(data, size, room);
}

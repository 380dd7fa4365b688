/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/simulator/crash.h"

#include <stdlib.h>
#include <string.h>

#define PROCESS_ONLY_IN 3u /* in one of so many crashes of a mapped medium */

static void add(struct crash *crash, const struct choice *choice) {
    if (crash->count == CHOICES_MAX) {
        abort();
    }
    crash->choices[crash->count++] = *choice;
    crash->states = crash->states > UINT64_MAX / choice->options ? UINT64_MAX : crash->states * choice->options;
}

static void add_write(struct crash *crash, const struct medium_write *write) {
    for (size_t done = 0; done < write->bytes; done += SECTOR_BYTES) {
        const size_t place = write->place + done;
        const int changes = memcmp(crash->world->device.medium + place, write->data + done, SECTOR_BYTES) != 0;
        /* If a sector is written with what it already holds, a crash leaves that, or garbage. */
        add(crash, &(struct choice){
                       .kind = CHOICE_SECTOR, .options = changes ? 3 : 2, .place = place, .data = write->data + done});
    }
}

static void add_lines(struct crash *crash, size_t place, const uint8_t *data, size_t bytes) {
    const uint8_t *medium = crash->world->device.medium;
    for (size_t done = 0; done < bytes; done += MAPPED_LINE_BYTES) {
        if (memcmp(medium + place + done, data + done, MAPPED_LINE_BYTES) != 0) {
            add(crash, &(struct choice){.kind = CHOICE_LINE, .options = 3, .place = place + done, .data = data + done});
        }
    }
}

static void add_mapping(struct crash *crash, const struct sim_device *device) {
    add_lines(crash, MEDIUM_DATA, device->image, device->medium_bytes - MEDIUM_DATA);
    add_lines(crash, device->current[0].place, device->current[0].data, device->current[0].bytes);
}

static void add_writes(struct crash *crash, const struct sim_device *device) {
    for (unsigned i = 0; i < device->told_count; i++) {
        add(crash, &(struct choice){.kind = CHOICE_LIE, .options = 3, .index = i});
    }
    for (unsigned i = 0; i < device->under_way_count; i++) {
        const struct device_write *write = device->under_way[i];
        add_write(crash, &(struct medium_write){
                             .place = sim_device_place(write->offset), .data = write->data, .bytes = write->bytes});
    }
    for (unsigned writer = 0; writer < PROCESSES_MAX; writer++) {
        add_write(crash, &device->current[writer]);
    }
}

void crash_survey(struct crash *crash, const struct world *world, uint64_t seed) {
    crash->world = world;
    crash->count = 0;
    crash->states = 1;
    crash->host_lives = 0;
    crash->seed = seed;
    if (world->device.is_mapped) {
        add_mapping(crash, &world->device);
    } else {
        add_writes(crash, &world->device);
    }
    const struct sim_files *files = &world->files;
    for (unsigned i = 0; i < files->inode_count; i++) {
        const struct sim_inode *inode = &files->inodes[i];
        if (inode->size_changes > 0) {
            add(crash, &(struct choice){.kind = CHOICE_SIZE, .options = 1 + inode->size_changes, .inode = i});
        }
        for (unsigned page = 0; (size_t)page * SECTOR_BYTES < inode->size; page++) {
            if (inode->dirty[page]) {
                add(crash, &(struct choice){.kind = CHOICE_PAGE, .options = 2, .inode = i, .index = page});
            }
        }
    }
    if (files->change_count > 0) {
        add(crash, &(struct choice){.kind = CHOICE_NAME, .options = 1 + files->change_count});
    }
}

uint64_t crash_states(const struct crash *crash, uint64_t exhaustive, uint64_t sampled) {
    return crash->states <= exhaustive ? crash->states : sampled;
}

/* Picks an option for each choice. If all states are looked at, the state's number says which. Otherwise state 0
 * keeps nothing and state 1 keeps everything; the others pick by chance. Each of them has a bias of its own, so that
 * rare mixtures come up. */
static void pick(const struct crash *crash, uint64_t state, uint64_t states, unsigned *picked) {
    if (states == crash->states) {
        for (unsigned i = 0; i < crash->count; i++) {
            picked[i] = (unsigned)(state % crash->choices[i].options);
            state /= crash->choices[i].options;
        }
        return;
    }
    uint64_t random = crash->seed ^ (state + 1) * 0xd1342543de82ef95ull;
    const unsigned bias = (unsigned)(random_next(&random) % 5);
    for (unsigned i = 0; i < crash->count; i++) {
        const struct choice *choice = &crash->choices[i];
        const unsigned kept = choice->kind == CHOICE_SIZE || choice->kind == CHOICE_NAME ? choice->options - 1
                              : choice->kind == CHOICE_SECTOR                            ? choice->options - 2
                                                                                         : 1; /* PAGE, LINE, LIE */
        const uint64_t chance = random_next(&random);
        picked[i] = state == 0   ? 0
                    : state == 1 ? kept
                    : bias == 0  ? (unsigned)(chance % choice->options)
                    : bias == 1  ? (chance % 8 == 0 ? 0 : kept)
                    : bias == 2  ? (chance % 8 == 0 ? kept : 0)
                    : bias == 3  ? (chance % 8 == 0 ? choice->options - 1 : kept)
                                 : (chance % 2 == 0 ? 0 : kept);
    }
}

/* A store of 8 bytes reaches the medium whole or not at all; chance decides which. */
static void mix_words(uint8_t *line, const uint8_t *data, uint64_t seed) {
    const uint64_t chosen = random_next(&seed);
    for (size_t word = 0; word < MAPPED_LINE_BYTES / 8; word++) {
        if (chosen >> word & 1) {
            memcpy(line + 8 * word, data + 8 * word, 8);
        }
    }
}

/* Applies a write that the device lied about: all of it, or each of its sectors by chance. */
static void tell_truth(uint8_t *medium, const struct lie *lie, unsigned option, uint64_t seed) {
    for (size_t done = 0; option > 0 && done < lie->bytes; done += SECTOR_BYTES) {
        if (option == 1 || random_next(&seed) % 2) {
            memcpy(medium + lie->place + done, lie->data + done, SECTOR_BYTES);
        }
    }
}

static void garble(uint8_t *sector, uint64_t seed) {
    for (size_t i = 0; i < SECTOR_BYTES; i += sizeof seed) {
        const uint64_t value = random_next(&seed);
        memcpy(sector + i, &value, sizeof value);
    }
}

/* A page that was kept has the bytes of the cache. Any other page has what was durable, less what a kept cut took
 * away. */
static void settle_inode(const struct crash *crash, const unsigned *picked, unsigned number, struct sim_inode *inode) {
    const struct sim_inode *before = &crash->world->files.inodes[number];
    const size_t extent = sim_inode_extent(before);
    size_t size = before->durable_size, least = before->durable_size;
    for (unsigned i = 0; i < crash->count; i++) {
        const struct choice *choice = &crash->choices[i];
        if (choice->kind == CHOICE_SIZE && choice->inode == number) {
            for (unsigned change = 0; change < picked[i]; change++) {
                size = before->sizes[change];
                least = size < least ? size : least;
            }
        }
    }
    memset(inode->durable + least, 0, extent - least);
    for (unsigned i = 0; i < crash->count; i++) {
        const struct choice *choice = &crash->choices[i];
        if (choice->kind == CHOICE_PAGE && choice->inode == number && picked[i]) {
            memcpy(inode->durable + choice->index * SECTOR_BYTES, before->cache + choice->index * SECTOR_BYTES,
                   SECTOR_BYTES);
        }
    }
    memset(inode->durable + size, 0, extent - size);
    memcpy(inode->cache, inode->durable, extent);
    if (sim_foreign_is_whole(before) && !sim_foreign_is_whole(inode)) {
        inode->foreign = NULL;
    }
    inode->size = inode->durable_size = size;
    inode->size_changes = 0;
    memset(inode->dirty, 0, sizeof inode->dirty);
}

static void settle_names(const struct crash *crash, const unsigned *picked, struct sim_files *files) {
    memcpy(files->names, crash->world->files.durable_names, sizeof files->names);
    for (unsigned i = 0; i < crash->count; i++) {
        const struct choice *choice = &crash->choices[i];
        for (unsigned change = 0; choice->kind == CHOICE_NAME && change < picked[i]; change++) {
            sim_names_apply(files->names, &crash->world->files.changes[change]);
        }
    }
    memcpy(files->durable_names, files->names, sizeof files->names);
    files->change_count = 0;
    for (unsigned i = 0; i < files->inode_count; i++) {
        files->inodes[i].links = 0;
    }
    for (unsigned i = 0; i < FILES_MAX; i++) {
        files->inodes[files->names[i].inode].links += files->names[i].name[0] != '\0';
    }
}

static void settle_medium(const struct crash *crash, const struct choice *choice, unsigned option, uint64_t seed,
                          struct sim_device *device) {
    uint8_t *place = device->medium + choice->place;
    if (choice->kind == CHOICE_LIE) {
        tell_truth(device->medium, &crash->world->device.told[choice->index], option, seed);
    } else if (choice->kind == CHOICE_LINE && option == 2) {
        mix_words(place, choice->data, seed);
    } else if (choice->kind == CHOICE_LINE && option == 1) {
        memcpy(place, choice->data, MAPPED_LINE_BYTES);
    } else if (choice->kind == CHOICE_SECTOR && option == choice->options - 1) {
        garble(place, seed);
    } else if (choice->kind == CHOICE_SECTOR && option > 0) {
        memcpy(place, choice->data, SECTOR_BYTES);
    }
}

void crash_build(const struct crash *crash, uint64_t state, uint64_t states, struct world *after) {
    unsigned picked[CHOICES_MAX];
    pick(crash, state, states, picked);
    for (unsigned i = 0; crash->host_lives && i < crash->count; i++) {
        const struct choice *choice = &crash->choices[i];
        picked[i] = choice->kind >= CHOICE_PAGE ? choice->options - 1 : picked[i];
    }
    world_copy(after, crash->world);
    for (unsigned i = 0; i < crash->count; i++) {
        settle_medium(crash, &crash->choices[i], picked[i], crash->seed + state * CHOICES_MAX + i, &after->device);
    }
    if (after->device.is_mapped) {
        /* The crash took the process only: the next process finds what was stored, and a later crash may still take
         * it away. */
        after->device.is_ahead =
            !after->model.is_formatting && (crash->host_lives || (crash->seed ^ state) % PROCESS_ONLY_IN == 0);
        memcpy(after->device.image,
               after->device.is_ahead ? crash->world->device.image : after->device.medium + MEDIUM_DATA,
               after->device.medium_bytes - MEDIUM_DATA);
    }
    after->model.medium_lied |= crash->world->device.told_count > 0;
    after->device.told_count = 0;
    for (unsigned i = 0; i < after->files.inode_count; i++) {
        settle_inode(crash, picked, i, &after->files.inodes[i]);
    }
    settle_names(crash, picked, &after->files);
    after->random_state ^= crash->seed + state;
    after->level = crash->world->level + 1;
}

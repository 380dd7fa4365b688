/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring medium. A write is durable when it returns or completes. Until then each of its sectors may hold the old
 * bytes, the new ones or garbage. Submitted writes complete in an order that the seed chooses. A device that lies
 * acknowledges writes that a crash can still take back; reads see them until then.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "harness/simulator/world.h"

static struct sim_device *device_of(struct device *device) {
    return (struct sim_device *)device;
}

size_t sim_device_place(uint64_t offset) {
    if (offset >= LAYOUT_DATA_OFFSET) {
        return (size_t)(MEDIUM_DATA + offset - LAYOUT_DATA_OFFSET);
    }
    const int is_checkpoint = offset >= LAYOUT_CHECKPOINT_OFFSET(0);
    const uint64_t beyond = is_checkpoint ? offset - LAYOUT_CHECKPOINT_OFFSET(0) : offset;
    const uint64_t unit = is_checkpoint ? LAYOUT_CHECKPOINT_BYTES : LAYOUT_SLOT_BYTES;
    const uint64_t slot = beyond / unit + (is_checkpoint ? MEDIUM_SLOTS - LAYOUT_CHECKPOINT_SLOTS : 0);
    const uint64_t within = beyond % unit;
    return slot < MEDIUM_SLOTS && within < MEDIUM_SLOT_BYTES ? (size_t)(slot * MEDIUM_SLOT_BYTES + within) : SIZE_MAX;
}

static struct medium_write medium_write_of(const struct sim_device *device, uint64_t offset, const void *data,
                                           size_t bytes) {
    const struct medium_write write = {.place = sim_device_place(offset), .data = data, .bytes = bytes};
    if (offset % WORLD_BLOCK_BYTES != 0 || bytes == 0 || bytes % WORLD_BLOCK_BYTES != 0 ||
        (uintptr_t)data % WORLD_BLOCK_BYTES != 0 || write.place > device->medium_bytes ||
        write.bytes > device->medium_bytes - write.place) {
        fprintf(stderr, "a write of %zu bytes at offset %llu is not one that O_DIRECT takes\n", bytes,
                (unsigned long long)offset);
        abort();
    }
    return write;
}

enum fate { FATE_OLD, FATE_NEW, FATE_GARBAGE, FATES };

/* A failed write may have reached any of its sectors. */
static void tear(struct sim_device *device, const struct medium_write *write) {
    for (size_t done = 0; done < write->bytes; done += SECTOR_BYTES) {
        const enum fate fate = world_random(device->world, FATES);
        for (size_t i = 0; fate != FATE_OLD && i < SECTOR_BYTES; i++) {
            device->medium[write->place + done + i] =
                fate == FATE_NEW ? write->data[done + i] : (uint8_t)world_random(device->world, 256);
        }
    }
}

/* The host has given up the write, but a queue may still hold it. */
static void keep_for_later(struct sim_device *device, const struct medium_write *write) {
    memcpy(device->late_data, write->data, write->bytes);
    device->late = *write;
    device->late.data = device->late_data;
    device->late_in = (int)world_random(device->world, 12);
}

void sim_device_arrive(struct world *world) {
    struct sim_device *device = &world->device;
    if (device->late_in == 0 && world_random(world, 2) == 0) {
        memcpy(device->medium + device->late.place, device->late.data, device->late.bytes);
    } else if (device->late_in == 0) {
        tear(device, &device->late);
    }
    device->late_in -= device->late_in >= 0;
}

static int overlap(size_t place, size_t bytes, size_t other, size_t other_bytes) {
    return other_bytes > 0 && place < other + other_bytes && other < place + bytes;
}

/* The oldest lie has become true. */
static void forget_lie(struct sim_device *device) {
    memcpy(device->medium + device->told[0].place, device->told[0].data, device->told[0].bytes);
    memmove(device->told, device->told + 1, --device->told_count * sizeof *device->told);
}

void sim_device_settle(struct sim_device *device, const struct medium_write *write) {
    if (overlap(write->place, write->bytes, device->unreadable, device->unreadable_bytes)) {
        device->unreadable_bytes = 0;
    }
    if (!device->lies) {
        memcpy(device->medium + write->place, write->data, write->bytes);
        return;
    }
    for (size_t done = 0, piece; done < write->bytes; done += piece) {
        if (device->told_count == LIES_MAX) {
            forget_lie(device);
        }
        struct lie *lie = &device->told[device->told_count++];
        piece = write->bytes - done < sizeof lie->data ? write->bytes - done : sizeof lie->data;
        lie->place = write->place + done;
        lie->bytes = piece;
        memcpy(lie->data, write->data + done, piece);
    }
}

static int finish(struct sim_device *device, const struct medium_write *write) {
    if (device->fail_write_in == 0) {
        device->fail_write_in = -1;
        if (write->place >= MEDIUM_DATA && device->late_in < 0 && world_random(device->world, 2) == 0) {
            keep_for_later(device, write);
        } else {
            tear(device, write);
        }
        return -device->fail_errno;
    }
    device->fail_write_in -= device->fail_write_in > 0;
    sim_device_settle(device, write);
    return 0;
}

static void *sim_image(struct device *device, size_t bytes) {
    struct sim_device *sim = device_of(device);
    memset(sim->image, 0, bytes);
    return sim->image;
}

static void sim_submit(struct device *device, struct device_write *write) {
    struct sim_device *sim = device_of(device);
    world_operation(sim->world, "submit");
    medium_write_of(sim, write->offset, write->data, write->bytes);
    sim->under_way[sim->under_way_count++] = write;
}

static struct device_write *sim_complete(struct device *device) {
    struct sim_device *sim = device_of(device);
    if (sim->under_way_count == 0) {
        return NULL;
    }
    world_operation(sim->world, "complete");
    const unsigned chosen = (unsigned)world_random(sim->world, sim->under_way_count);
    struct device_write *write = sim->under_way[chosen];
    const struct medium_write medium = medium_write_of(sim, write->offset, write->data, write->bytes);
    sim->under_way[chosen] = sim->under_way[--sim->under_way_count];
    write->result = finish(sim, &medium);
    return write;
}

static int sim_write(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    struct sim_device *sim = device_of(device);
    struct medium_write *current = &sim->current[sim->world->process];
    *current = medium_write_of(sim, offset, data, bytes);
    world_operation(sim->world, offset < LAYOUT_DATA_OFFSET ? "write of a header slot" : "write of a block");
    if (sim->world->has_processes) {
        current->seen = world_random(sim->world, UINT64_MAX);
        world_operation(sim->world, "middle of a write");
    }
    const int rc = finish(sim, current);
    current->bytes = 0;
    return rc < 0 ? error_set(-rc, "writing %zu bytes at %llu failed", bytes, (unsigned long long)offset) : 0;
}

/* Lays over `data` the writes that a lying device still remembers. */
static void recall(const struct sim_device *device, size_t place, uint8_t *data, size_t bytes) {
    for (unsigned i = 0; i < device->told_count; i++) {
        const struct lie *lie = &device->told[i];
        const size_t from = lie->place > place ? lie->place : place;
        const size_t to = lie->place + lie->bytes < place + bytes ? lie->place + lie->bytes : place + bytes;
        if (from < to) {
            memcpy(data + (from - place), lie->data + (from - lie->place), to - from);
        }
    }
}

/* Lays over `data` what other processes have written so far. */
static void look_ahead(const struct sim_device *device, size_t place, uint8_t *data, size_t bytes) {
    for (unsigned writer = 0; writer < PROCESSES_MAX; writer++) {
        const struct medium_write *write = &device->current[writer];
        for (size_t done = 0; writer != device->world->process && done < write->bytes; done += SECTOR_BYTES) {
            const size_t at = write->place + done;
            if ((write->seen >> done / SECTOR_BYTES % 64 & 1) != 0 && at >= place &&
                at + SECTOR_BYTES <= place + bytes) {
                memcpy(data + (at - place), write->data + done, SECTOR_BYTES);
            }
        }
    }
}

void sim_device_abandon(struct sim_device *device, unsigned writer, int submitted) {
    struct medium_write *write = &device->current[writer];
    for (size_t done = 0; done < write->bytes; done += SECTOR_BYTES) {
        if ((write->seen >> done / SECTOR_BYTES % 64 & 1) != 0 || world_random(device->world, 2) == 0) {
            memcpy(device->medium + write->place + done, write->data + done, SECTOR_BYTES);
        }
    }
    write->bytes = 0;
    for (unsigned i = 0; submitted && i < device->under_way_count; i++) {
        const struct device_write *one = device->under_way[i];
        if (world_random(device->world, 2) == 0) {
            memcpy(device->medium + sim_device_place(one->offset), one->data, one->bytes);
        }
    }
    device->under_way_count = submitted ? 0 : device->under_way_count;
}

static int sim_read(struct device *device, uint64_t offset, void *data, size_t bytes) {
    const struct sim_device *sim = device_of(device);
    const size_t place = sim_device_place(offset);
    if (overlap(place, bytes, sim->unreadable, sim->unreadable_bytes)) {
        return error_set(EIO, "the medium cannot be read at offset %llu", (unsigned long long)offset);
    }
    if (offset >= LAYOUT_DATA_OFFSET) {
        memcpy(data, sim->medium + place, bytes);
        recall(sim, place, data, bytes);
        look_ahead(sim, place, data, bytes);
        return 0;
    }
    const size_t kept = place == SIZE_MAX ? 0 : MEDIUM_SLOT_BYTES - place % MEDIUM_SLOT_BYTES;
    const size_t held = bytes < kept ? bytes : kept;
    memcpy(data, sim->medium + (held > 0 ? place : 0), held);
    memset((uint8_t *)data + held, 0, bytes - held);
    recall(sim, place, data, held);
    look_ahead(sim, place, data, held);
    return 0;
}

static int sim_flush(struct device *device) {
    (void)device;
    return 0;
}

static void sim_close(struct device *device) {
    (void)device;
}

static const struct device_ops sim_device_ops = {
    .name = "simulated",
    .image = sim_image,
    .submit = sim_submit,
    .complete = sim_complete,
    .write = sim_write,
    .read = sim_read,
    .flush = sim_flush,
    .close = sim_close,
};

void sim_device_init(struct world *world) {
    struct sim_device *sim = &world->device;
    sim->device.platform = &world->platform;
    sim->device.block_bytes = WORLD_BLOCK_BYTES;
    sim->device.logical_block_bytes = SECTOR_BYTES;
    sim->device.write_depth = 1;
    snprintf(sim->device.path, sizeof sim->device.path, "/dev/ring");
    sim->world = world;
    sim->medium = calloc(1, MEDIUM_BYTES_MAX);
    sim->image = aligned_alloc(WORLD_BLOCK_BYTES, WORLD_BLOCKS_MAX * WORLD_BLOCK_BYTES);
    sim_device_choose(world, 0);
    sim->told = calloc(LIES_MAX, sizeof *sim->told);
    sim->late_data = aligned_alloc(WORLD_BLOCK_BYTES, WORLD_BLOCKS_MAX * WORLD_BLOCK_BYTES);
}

void sim_device_choose(struct world *world, int is_mapped) {
    world->device.is_mapped = is_mapped;
    struct device *device = &world->device.device;
    device->ops = is_mapped ? &sim_mapped_ops : &sim_device_ops;
    device->mapping = is_mapped ? world->device.image - LAYOUT_DATA_OFFSET : NULL;
    device->line_bytes = is_mapped ? LAYOUT_LINE_BYTES : 0;
}

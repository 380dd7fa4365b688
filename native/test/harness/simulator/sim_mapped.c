/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Persistent memory: the image is the mapping. A line that was stored may become durable at any time, in any order; it
 * is durable for certain once it was written back. A process that opens the ring again sees what is in the caches, so a
 * flush must write back all lines. Recovery must not copy into the image or zero parts of it: that would change the
 * medium.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/simulator/world.h"

static struct sim_device *device_of(struct device *device) {
    return (struct sim_device *)device;
}

#define EVICTED_AT_ONCE 6u

void sim_mapped_evict(struct world *world) {
    struct sim_device *sim = &world->device;
    if (!sim->is_mapped || world_random(world, 3) != 0) {
        return;
    }
    const size_t lines = (sim->medium_bytes - MEDIUM_DATA) / MAPPED_LINE_BYTES;
    unsigned evicted = (unsigned)world_random(world, EVICTED_AT_ONCE);
    for (size_t from = world_random(world, lines), i = 0; evicted > 0 && i < lines; i++) {
        const size_t at = (from + i) % lines * MAPPED_LINE_BYTES;
        if (memcmp(sim->medium + MEDIUM_DATA + at, sim->image + at, MAPPED_LINE_BYTES) != 0 &&
            world_random(world, 2) == 0) {
            memcpy(sim->medium + MEDIUM_DATA + at, sim->image + at, MAPPED_LINE_BYTES);
            evicted--;
        }
    }
}

static void check_lines(const struct sim_device *sim, uint64_t offset, const void *data, size_t bytes) {
    const uint64_t unit = sim->device.line_bytes != 0 ? sim->device.line_bytes : WORLD_BLOCK_BYTES;
    if (offset % unit != 0 || bytes == 0 || bytes % unit != 0 || !device_is_in_place(&sim->device, offset, data)) {
        fprintf(stderr, "a commit of %zu bytes at offset %llu is not of whole lines of the mapping\n", bytes,
                (unsigned long long)offset);
        abort();
    }
}

static void *mapped_image(struct device *device, size_t bytes) {
    (void)bytes;
    return device_of(device)->image;
}

static void mapped_submit(struct device *device, struct device_write *write) {
    struct sim_device *sim = device_of(device);
    world_operation(sim->world, "submit");
    check_lines(sim, write->offset, write->data, write->bytes);
    sim->under_way[sim->under_way_count++] = write;
}

static struct device_write *mapped_complete(struct device *device) {
    struct sim_device *sim = device_of(device);
    if (sim->under_way_count == 0) {
        return NULL;
    }
    world_operation(sim->world, "complete");
    struct device_write *write = sim->under_way[--sim->under_way_count];
    sim_device_settle(sim, &(struct medium_write){
                               .place = sim_device_place(write->offset), .data = write->data, .bytes = write->bytes});
    write->result = 0;
    return write;
}

/* Copies a header slot into the mapping; the marker is in the image already. */
static int mapped_write(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    struct sim_device *sim = device_of(device);
    sim->current[0] = (struct medium_write){.place = sim_device_place(offset), .data = data, .bytes = bytes};
    world_operation(sim->world, offset < LAYOUT_DATA_OFFSET ? "write of a header slot" : "write of a block");
    sim_device_settle(sim, &sim->current[0]);
    sim->current[0].bytes = 0;
    return 0;
}

static int mapped_read(struct device *device, uint64_t offset, void *data, size_t bytes) {
    const struct sim_device *sim = device_of(device);
    const uint8_t *place = offset >= LAYOUT_DATA_OFFSET ? sim->image + (offset - LAYOUT_DATA_OFFSET)
                                                        : sim->medium + sim_device_place(offset);
    if (place != data) {
        memcpy(data, place, bytes);
    }
    return 0;
}

static int mapped_flush(struct device *device) {
    struct sim_device *sim = device_of(device);
    world_operation(sim->world, "flush");
    memcpy(sim->medium + MEDIUM_DATA, sim->image, sim->medium_bytes - MEDIUM_DATA);
    return 0;
}

static void mapped_close(struct device *device) {
    (void)device;
}

const struct device_ops sim_mapped_ops = {
    .name = "mapped",
    .image = mapped_image,
    .submit = mapped_submit,
    .complete = mapped_complete,
    .write = mapped_write,
    .read = mapped_read,
    .flush = mapped_flush,
    .close = mapped_close,
};

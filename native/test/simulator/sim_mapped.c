/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Persistent memory: the image is the mapping. Whatever is stored into it may become durable at any time, a line at a
 * time, in any order, and is so for certain once its line was written back. A process that opens the ring again sees
 * what is in the caches, so a flush has to write back all of it.
 */
#include <string.h>

#include "simulator/world.h"

static struct sim_device *device_of(struct device *device) {
    return (struct sim_device *)device;
}

static void *mapped_image(struct device *device, size_t bytes) {
    (void)bytes;
    return device_of(device)->image;
}

static void mapped_submit(struct device *device, struct device_write *write) {
    struct sim_device *sim = device_of(device);
    world_operation(sim->world, "submit");
    sim->under_way[sim->under_way_count++] = write;
}

static struct device_write *mapped_complete(struct device *device) {
    struct sim_device *sim = device_of(device);
    if (sim->under_way_count == 0) {
        return NULL;
    }
    world_operation(sim->world, "complete");
    struct device_write *write = sim->under_way[--sim->under_way_count];
    sim_device_settle(sim, &(struct medium_write){.place = sim_device_place(write->offset), .data = write->data,
                                                  .bytes = write->bytes});
    write->result = 0;
    return write;
}

/* A header slot is copied into the mapping; the marker is in the image already. */
static int mapped_write(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    struct sim_device *sim = device_of(device);
    sim->current = (struct medium_write){.place = sim_device_place(offset), .data = data, .bytes = bytes};
    world_operation(sim->world, offset < LAYOUT_DATA_OFFSET ? "write of a header slot" : "write of a block");
    sim_device_settle(sim, &sim->current);
    sim->current.bytes = 0;
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

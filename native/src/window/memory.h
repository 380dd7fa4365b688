/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of a window: a sealed memfd, which no process but the log's can write.
 *
 * A named file in tmpfs would be worse: others can cut it, which kills the log by SIGBUS; a container may give it 64 MB;
 * a killed process leaves it behind. The memory goes when the log and the last of its readers let go of it, and is
 * charged to the control group of the log.
 */
#ifndef BURST_WINDOW_MEMORY_H
#define BURST_WINDOW_MEMORY_H

#include "device/device.h"
#include "media/window.h"

/* Makes the memory of a ring's window. */
struct window_maker {
    /* Gets zeroed memory, which outlives the engine. May set device->image_shared, so that the ring's image becomes a
     * part of it, at WINDOW_IMAGE_OFFSET. Returns NULL if the host gives none: then the ring has no window. */
    struct window *(*make)(struct window_maker *maker, struct device *device, uint64_t capacity_bytes);
};

struct window_memory {
    struct window_maker maker; /* for the engine */
    struct window window;
    struct device_shared image;
    void *pages; /* NULL: there is no window */
    size_t pages_bytes;
    int has_requests; /* set before it is made: another process may drain */
    int fd;
    char why_not[DEVICE_BECAUSE_BYTES]; /* why there is no window, or none with an image; else "" */
};

void window_memory_init(struct window_memory *memory);

/* Seals the memory for all but the mappings that exist. The image was made before. Returns a descriptor with read
 * rights, which the caller closes, or -errno; memory->why_not then says why. */
int window_memory_seal(struct window_memory *memory);

/* Lets go of the pages and of the descriptor; the ring's image goes with its device. Readers keep what they have. */
void window_memory_close(struct window_memory *memory);

#endif

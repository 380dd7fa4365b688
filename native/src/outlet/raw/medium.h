/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log device as the outlet sees it: bytes at offsets. A table, so that a test can put a simulated one in its place.
 *
 * The real one writes through the page cache and syncs: the log's bytes end anywhere, and its last block, which O_DIRECT would
 * have us keep and write again each time, is the kernel's business; what is read back to be compared is in memory. The copy
 * that this costs is the drain's, no append waits for it.
 */
#ifndef BURST_OUTLET_RAW_MEDIUM_H
#define BURST_OUTLET_RAW_MEDIUM_H

#include <stddef.h>
#include <stdint.h>

#include "device/open.h"

struct raw_medium {
    const struct raw_medium_ops *ops;
    uint64_t bytes;
};

/* Functions return 0, or -errno without a sentence. */
struct raw_medium_ops {
    /* All of the range; -EIO if it ends before. */
    int (*read)(const struct raw_medium *medium, void *data, size_t bytes, uint64_t offset);
    /* All of it; durable only after sync. */
    int (*write)(const struct raw_medium *medium, const void *data, size_t bytes, uint64_t offset);
    /* Everything written before is durable. After an error nobody knows what is: what was written since the sync before is to
     * be written again. */
    int (*sync)(const struct raw_medium *medium);
    void (*close)(struct raw_medium *medium);
};

struct raw_media {
    /* 0, or -errno with a sentence. A writer excludes every other writer, as that of a ring does, and takes a block device only;
     * a reader takes the image of one in a file as well, beside a writer. */
    int (*open)(const struct raw_media *media, const char *path, enum device_access access, struct raw_medium **medium);
};

/* The host's devices. */
extern const struct raw_media raw_media_posix;

/* The same of a device that is open, and stays so until after the close. */
int raw_medium_of_device(const struct device *device, enum device_access access, struct raw_medium **medium);

/* 1 if the path leads to a block device: a log of that name goes to it, and to a file otherwise. */
int raw_is_device(const char *path);

#endif

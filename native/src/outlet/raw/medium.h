/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log device as the outlet sees it: bytes at offsets. It is a table, so that a test can put a simulated device in its
 * place.
 *
 * The real one writes through the page cache and syncs. The log's bytes end anywhere: with O_DIRECT the outlet would
 * have to keep the last block and write it again each time, and here the kernel does that. Bytes that the outlet reads
 * back to compare are still in memory. The drain pays for the copy; no append waits for it.
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
    /* Reads all of the range; -EIO if the device ends before. */
    int (*read)(const struct raw_medium *medium, void *data, size_t bytes, uint64_t offset);
    /* Writes all bytes. They are durable only after a sync. */
    int (*write)(const struct raw_medium *medium, const void *data, size_t bytes, uint64_t offset);
    /* Makes everything written before durable. After an error nobody knows what is durable: everything written since
     * the last good sync has to be written again. */
    int (*sync)(const struct raw_medium *medium);
    void (*close)(struct raw_medium *medium);
};

struct raw_media {
    /* Opens the device. Returns 0, or -errno with a sentence. A writer excludes every other writer, as a ring's writer
     * does, and takes only a block device. A reader also takes the image of one in a file, and reads beside a
     * writer. */
    int (*open)(const struct raw_media *media, const char *path, enum device_access access, struct raw_medium **medium);
};

/* The host's devices. */
extern const struct raw_media raw_media_posix;

/* Makes a medium of an open device, which must stay open until after the medium's close. Returns 0, or -errno with a
 * sentence. */
int raw_medium_of_device(const struct device *device, enum device_access access, struct raw_medium **medium);

/* Returns 1 if the path leads to a block device: a log of that name then goes to the device, and not to a file. */
int raw_is_device(const char *path);

#endif

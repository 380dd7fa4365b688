/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a ring medium by its path: what it is, who holds it, which backend writes it. */
#ifndef BURST_DEVICE_OPEN_H
#define BURST_DEVICE_OPEN_H

#include "device/device.h"

enum device_access {
    DEVICE_READ_ONLY, /* beside a running writer: takes no lock */
    DEVICE_WRITER,    /* exclusive: O_EXCL on a device, an OFD lock on a file */
};

/*
 * Opens an existing device or file of any size. io: enum device_io; auto is pwrite until device_calibrate has looked.
 * Returns 0 and *device, or -errno with a sentence: -ENOENT, -EBUSY (names the holder's pid), -EACCES, -EPERM, -EINVAL
 * (neither file nor device, unknown io).
 */
int device_open(const struct platform *platform, const char *path, enum device_access access, uint32_t io,
                struct device **device);

/* The same; the sentences of refusals say `what` and not "ring". */
int device_open_as(const struct platform *platform, const char *what, const char *path, enum device_access access,
                   uint32_t io, struct device **device);

static inline void device_close(struct device *device) {
    device->ops->close(device);
}

/*
 * Creates a ring file of exactly `bytes`: zero-filled (not just allocated: the first lap would pay for it), mode 0600
 * (or mode and owner of the empty file that was there), without copy-on-write on btrfs, no extent shared or unwritten.
 * Missing folders above it are made. `prepare` writes the superblock into the still unnamed file; only then it gets its
 * name, and the directory is synced, so that a crash leaves either no ring or a whole one. -EEXIST if a non-empty file
 * is there by then.
 */
int device_create_file(const struct platform *platform, const char *path, uint64_t bytes,
                       int (*prepare)(struct device *device, void *argument), void *argument);

/* The same, prepared through the backend that will write it (enum device_io): a ring for DEVICE_IO_MAPPED is laid out
 * for memory. *folders_missing: how many folders above it had to be made; a failure leaves none of them. */
int device_create_file_for(const struct platform *platform, const char *path, uint64_t bytes, uint32_t io,
                           int (*prepare)(struct device *device, void *argument), void *argument,
                           unsigned *folders_missing);

/* 1 if nothing is there or an empty regular file, 0 if something else is, -errno with a sentence. */
int device_is_absent(const char *path);

#endif

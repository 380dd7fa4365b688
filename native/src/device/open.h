/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a ring medium by its path: its kind, its holder, its backend. */
#ifndef BURST_DEVICE_OPEN_H
#define BURST_DEVICE_OPEN_H

#include "device/device.h"

enum device_access {
    DEVICE_READ_ONLY, /* beside a running writer: takes no lock */
    DEVICE_WRITER,    /* exclusive: O_EXCL on a device, an OFD lock on a file */
    DEVICE_BESIDE,    /* for a drain: may write checkpoints, beside a writer; takes no lock */
};

/*
 * Opens an existing device or file of any size. io: enum device_io; auto is pwrite until device_calibrate has looked.
 * Returns 0 and *device, or -errno with a sentence: -ENOENT, -EBUSY (names the holder's pid), -EACCES, -EPERM, -EINVAL
 * (neither file nor device, unknown io).
 */
int device_open(const struct platform *platform, const char *path, enum device_access access, uint32_t io,
                struct device **device);

/* Opens a device or file, like device_open. The sentences of refusals say `what` and not "ring". */
int device_open_as(const struct platform *platform, const char *what, const char *path, enum device_access access,
                   uint32_t io, struct device **device);

static inline void device_close(struct device *device) {
    device->ops->close(device);
}

/*
 * Creates a ring file of exactly `bytes`. It is zero-filled, not just allocated (the first lap would pay for that); has
 * mode 0600, or mode and owner of the empty file that was there; is without copy-on-write on btrfs; has no shared or
 * unwritten extent. Makes missing folders above it. `prepare` writes the superblock into the still unnamed file. Only
 * then the file gets its name, and the directory is synced, so that a crash leaves either no ring or a whole one.
 * Returns -EEXIST if a non-empty file is there by then.
 */
int device_create_file(const struct platform *platform, const char *path, uint64_t bytes,
                       int (*prepare)(struct device *device, void *argument), void *argument);

/* Creates a ring file through the backend that will write it (enum device_io): a ring for DEVICE_IO_MAPPED is laid out
 * for memory. *folders_missing: the number of folders above it that had to be made; a failure leaves none of them. */
int device_create_file_for(const struct platform *platform, const char *path, uint64_t bytes, uint32_t io,
                           int (*prepare)(struct device *device, void *argument), void *argument,
                           unsigned *folders_missing);

/* Returns 1 if nothing or an empty regular file is there, 0 if something else is, or -errno with a sentence. */
int device_is_absent(const char *path);

#endif

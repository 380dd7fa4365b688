/* SPDX-License-Identifier: Apache-2.0 */
/* Reading as much as possible of a medium that has unreadable blocks. */
#ifndef BURST_DEVICE_SALVAGE_H
#define BURST_DEVICE_SALVAGE_H

#include "device/device.h"

/* Gets each unreadable range, in order; ranges that touch come as one. */
typedef void device_unreadable(void *argument, uint64_t offset, uint64_t bytes);

/*
 * Reads like device->ops->read, but narrows a medium error (EIO, ENODATA and their kin) down to the logical blocks that
 * have it. It reports these blocks, and fills them with zeros in `data`, unless `data` is the mapped medium itself.
 * Returns 0, or -errno with a sentence for any other failure, such as a vanished device.
 */
int device_read_salvage(struct device *device, uint64_t offset, void *data, size_t bytes, device_unreadable *unreadable,
                        void *argument);

#endif

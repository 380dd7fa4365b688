/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what is left of a medium that has unreadable blocks. */
#ifndef BURST_DEVICE_SALVAGE_H
#define BURST_DEVICE_SALVAGE_H

#include "device/device.h"

/* Gets every unreadable range, in order; ranges that touch come as one. */
typedef void device_unreadable(void *argument, uint64_t offset, uint64_t bytes);

/*
 * As device->ops->read, but a medium error (EIO, ENODATA and their kin) is narrowed down to the logical blocks that
 * have it: those are zeros in `data` (unless it is the mapped medium itself) and reported. 0, or -errno with a sentence
 * for any other failure, a vanished device above all.
 */
int device_read_salvage(struct device *device, uint64_t offset, void *data, size_t bytes, device_unreadable *unreadable,
                        void *argument);

#endif

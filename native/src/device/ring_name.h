/* SPDX-License-Identifier: Apache-2.0 */
/* Which file or block device a ring is on: whose, and whether its name still leads to it. */
#ifndef BURST_DEVICE_RING_NAME_H
#define BURST_DEVICE_RING_NAME_H

#include <stddef.h>

#include "device/device.h"

/* Fills device->file from the open description of the medium, which stays open as long as the device. */
void ring_name_note(struct device *device, int fd);

/* Opens the medium once more by its name, without O_DIRECT. The descriptor; -ESTALE if the name leads elsewhere by now;
 * -errno. */
int device_open_again(const struct device *device, int flags);

/* Whether the ring, which is not deleted, is not what its name leads to any more: the next open would not find it. Then
 * *now is where it is, or "" if that cannot be seen. Of a medium that is no file, or cannot be looked at: 0. */
int ring_name_is_lost(const struct device *device, char *now, size_t now_bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The file or block device that a ring is on, its owner, and whether the ring's name still leads there. */
#ifndef BURST_DEVICE_RING_NAME_H
#define BURST_DEVICE_RING_NAME_H

#include <stddef.h>

#include "device/device.h"

/* Fills device->file from the open description of the medium, which stays open as long as the device. */
void ring_name_note(struct device *device, int fd);

/* Opens the medium once more by its name, without O_DIRECT. Returns the descriptor; -ESTALE if the name now leads to
 * another file; or another -errno. */
int device_open_again(const struct device *device, int flags);

/* Returns 1 if the ring was not deleted, but its name now leads to another file or to none: the next open would not
 * find it. *now is then its new name, or "" if nobody can see it. Returns 0 otherwise, also for a medium that is no
 * file or cannot be looked at. */
int ring_name_is_lost(const struct device *device, char *now, size_t now_bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Other claims to a medium, as libblkid knows them: file systems, partition tables, members of volumes. */
#ifndef BURST_CLI_SIGNATURE_H
#define BURST_CLI_SIGNATURE_H

#include <stddef.h>

#include "device/device.h"

/* Names everything it finds in `text`, as "ext4 labelled \"data\" (UUID 1b4e..)"; "" if it finds nothing. Returns 0, or
 * -errno with a sentence. */
int signature_find(const struct device *device, char *text, size_t text_bytes);

/* Removes the signatures durably, even those at the end of the medium. Others would believe a signature that stays, and
 * take the medium from the ring. Returns 0, or -errno with a sentence. */
int signature_wipe(const struct device *device);

#endif

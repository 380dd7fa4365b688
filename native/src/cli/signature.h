/* SPDX-License-Identifier: Apache-2.0 */
/* What else lays claim to a medium: file systems, partition tables, members of volumes, as libblkid knows them. */
#ifndef BURST_CLI_SIGNATURE_H
#define BURST_CLI_SIGNATURE_H

#include <stddef.h>

#include "device/device.h"

/* Names all that is found, as "ext4 labelled \"data\" (UUID 1b4e..)", in `text`; "" if nothing is. 0 or -errno with a
 * sentence. */
int signature_find(const struct device *device, char *text, size_t text_bytes);

/* Takes them away durably, those at the end of the medium too: what is left would be believed by others, and the medium
 * be taken away from the ring. 0 or -errno with a sentence. */
int signature_wipe(const struct device *device);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a medium is empty. Its two ends decide: file systems and partition tables have their signatures there. */
#ifndef BURST_CLI_BLANK_H
#define BURST_CLI_BLANK_H

#include "device/device.h"

#define BLANK_LOOKED_AT_BYTES (1u << 20) /* at each end */

/* Returns 1 if both ends are zero, 0 if not, or -errno with a sentence. */
int device_is_blank(struct device *device);

#endif

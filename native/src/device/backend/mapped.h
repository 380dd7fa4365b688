/* SPDX-License-Identifier: Apache-2.0 */
/* Switches of a mapped ring for benchmarks and tests. */
#ifndef BURST_DEVICE_MAPPED_H
#define BURST_DEVICE_MAPPED_H

#include "device/device.h"

/* Has commits of a mapped ring without MAP_SYNC write their lines back all the same, as on persistent memory. Call it
 * between appends only. */
void mapped_write_back(struct device *device, int always);

/* The instruction that writes commits back: "clwb", "none", ... */
const char *mapped_write_back_name(struct device *device);

#endif

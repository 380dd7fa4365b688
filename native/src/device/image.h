/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a ring's image, for backends that write from memory. */
#ifndef BURST_DEVICE_IMAGE_H
#define BURST_DEVICE_IMAGE_H

#include "base/cpulist.h"
#include "device/device.h"

/* Allocates memory as the device's image_* fields ask. Adds to device->fallback everything that the host refused.
 * Returns NULL with a sentence after an error. platform_release frees the memory. */
void *image_allocate(struct device *device, size_t bytes);

/*
 * The NUMA node of the block device, of the device under a file, or of all these CPUs. -1 if there is no such node, or
 * only one on this host. `sys` is "/sys".
 */
int image_node_of_device(const char *sys, unsigned device_major, unsigned device_minor);
int image_node_of_medium(const char *sys, const char *path);
int image_node_of_cpus(const char *sys, const struct cpulist *cpus);

#endif

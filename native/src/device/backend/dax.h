/* SPDX-License-Identifier: Apache-2.0 */
/* Character devices that are memory: device DAX (/dev/dax0.0), which can be mapped and nothing else. */
#ifndef BURST_DEVICE_DAX_H
#define BURST_DEVICE_DAX_H

#include <stdint.h>
#include <sys/types.h>

struct dax_facts {
    uint64_t bytes;
    uint32_t align_bytes; /* alignment of each mapping: 4096, 2 MiB, 1 GiB */
    int is_persistent;    /* on an NVDIMM bus; otherwise it is memory that only looks persistent */
};

/* Reads from /sys the facts about the character device; sysfs is "/sys" or a recorded tree. Returns 0; -ENODEV if it is
 * no DAX device; -EINVAL if its size or alignment cannot be read. */
int dax_probe(const char *sysfs, dev_t number, struct dax_facts *facts);

/* Whether the character device is one. */
int dax_is_device(dev_t number);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Character devices that are memory: device DAX (/dev/dax0.0), which can be mapped and nothing else. */
#ifndef BURST_DEVICE_DAX_H
#define BURST_DEVICE_DAX_H

#include <stdint.h>
#include <sys/types.h>

struct dax_facts {
    uint64_t bytes;
    uint32_t align_bytes; /* of every mapping: 4096, 2 MiB, 1 GiB */
    int is_persistent;    /* it lies on an NVDIMM bus; else it is memory that only looks like it */
};

/* Takes from /sys what it says of the character device; sysfs is "/sys" or a recorded tree. 0; -ENODEV if it is no
 * DAX device; -EINVAL if it is one whose size or alignment cannot be read. */
int dax_probe(const char *sysfs, dev_t number, struct dax_facts *facts);

/* Whether the character device is one. */
int dax_is_device(dev_t number);

#endif

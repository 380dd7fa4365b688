/* SPDX-License-Identifier: Apache-2.0 */
/* Finds in /sys the character device that passes commands through to the NVMe namespace of a block device. */
#ifndef BURST_DEVICE_NVME_NODE_H
#define BURST_DEVICE_NVME_NODE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct nvme_node {
    char name[32];           /* "ng0n1", in /dev */
    dev_t number;            /* number of the character device */
    uint64_t begin_bytes;    /* where in the namespace the block device begins: a partition's offset, or 0 */
    uint64_t transfer_bytes; /* the driver's own limit of one command */
};

/* Finds the node for the block device of this number; root as in sysfs.h. Returns 0; -ENODEV if that is no NVMe
 * namespace; -ENXIO if the namespace has no generic character device; or another -errno. */
int nvme_node_find(const char *root, dev_t number, struct nvme_node *node);

/* "ng0n1" -> "nvme0n1". 0 or -EINVAL. */
int nvme_block_name(const char *node_name, char *name, size_t name_bytes);

#endif

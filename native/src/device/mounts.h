/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's table of mounts, as far as durability and refusals need it. */
#ifndef BURST_DEVICE_MOUNTS_H
#define BURST_DEVICE_MOUNTS_H

#include <stddef.h>
#include <sys/types.h>

struct mount {
    dev_t number;      /* of the file system, as the kernel shows it: btrfs gives its files others */
    char type[32];     /* "ext4" */
    char source[256];  /* what is mounted: mostly a device node */
    char point[256];   /* where */
    char options[1024]; /* of the file system */
};

/* The mount that the open file lies on. 0 or -errno. */
int mount_of(int fd, struct mount *mount);

/* As mount_of, of a descriptor of another process ("1234"). Asks no file system. */
int mount_of_descriptor(const char *process, const char *descriptor, struct mount *mount);

/* Where the block device is mounted; 0, or -ENOENT if nowhere that this process sees. */
int mount_of_device(dev_t number, struct mount *mount);

/* True if the file system was told not to flush the disk's write cache. */
int mount_has_no_barriers(const struct mount *mount);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's table of mounts, as far as durability and refusals need it. */
#ifndef BURST_DEVICE_MOUNTS_H
#define BURST_DEVICE_MOUNTS_H

#include <stddef.h>
#include <sys/types.h>

struct mount {
    char type[32];     /* "ext4" */
    char source[256];  /* what is mounted: mostly a device node */
    char point[256];   /* where */
    char options[1024]; /* of the file system */
    char point_options[256]; /* of this mount of it: "rw,noatime" */
    dev_t number;       /* of the device; the file system's own number where its major is 0 */
};

/* The mount that the open file lies on. 0 or -errno. */
int mount_of(int fd, struct mount *mount);

/* The mount that the absolute path, which has no symbolic links, lies on, also where nothing is at its end. root: "" for
 * this host, or the directory of a recorded one. 0 or -errno. */
int mount_of_path(const char *root, const char *path, struct mount *mount);

/* Where the block device is mounted; 0, or -ENOENT if nowhere that this process sees. */
int mount_of_device(dev_t number, struct mount *mount);

/* True if the comma-separated options have this one. */
int mount_has_option(const char *options, const char *wanted);

/* True if the file system was told not to flush the disk's write cache. */
int mount_has_no_barriers(const struct mount *mount);

#endif

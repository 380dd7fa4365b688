/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's table of mounts, as far as durability and refusals need it. */
#ifndef BURST_DEVICE_MOUNTS_H
#define BURST_DEVICE_MOUNTS_H

#include <stddef.h>
#include <sys/types.h>

struct mount {
    dev_t number;       /* of its block device, or a number with major 0; files of btrfs show others */
    char type[32];      /* "ext4" */
    char source[256];   /* what is mounted: mostly a device node */
    char point[256];    /* where */
    char options[8192]; /* of the file system; an overlay names all its layers in them */
    char flags[256];    /* of this mount of it: "rw,noatime" */
};

/* The mount that the open file lies on. 0 or -errno. */
int mount_of(int fd, struct mount *mount);

/* As mount_of, of a descriptor of another process ("1234"). Asks no file system. */
int mount_of_descriptor(const char *process, const char *descriptor, struct mount *mount);

/*
 * The mount that the absolute path lies on. root: "", or the directory of a recorded tree, of which
 * proc/self/mountinfo is read; there the longest mount point before the path decides. 0 or -errno.
 */
int mount_of_path(const char *root, const char *path, struct mount *mount);

/* Where the block device is mounted; 0, or -ENOENT if nowhere that this process sees. */
int mount_of_device(dev_t number, struct mount *mount);

/*
 * Finds a mount of the file system that an overlay stores in. statfs tells of an overlay the figures of its upper
 * file system, and only that one has as many blocks and inodes, in all and free. A container does not see the upper
 * directory itself, but mostly has files mounted from the same file system. 0, or -ENOENT.
 */
int mount_below_overlay(const char *point, struct mount *mount);

/* True if the mount has the option; its value ("" if it has none) in value, which may be NULL. */
int mount_option(const struct mount *mount, const char *name, char *value, size_t value_bytes);

/* True if this mount of the file system has the flag ("noatime"). */
int mount_has_flag(const struct mount *mount, const char *name);

/* True if the file system was told not to flush the disk's write cache. */
int mount_has_no_barriers(const struct mount *mount);

#endif

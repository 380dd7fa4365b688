/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's table of mounts, as far as durability and refusals need it. */
#ifndef BURST_DEVICE_MOUNTS_H
#define BURST_DEVICE_MOUNTS_H

#include <stddef.h>
#include <sys/types.h>

struct mount {
    dev_t number;       /* number of its block device, or one with major 0; files of btrfs show others */
    char type[32];      /* "ext4" */
    char source[256];   /* mostly a device node */
    char point[256];    /* where it is mounted */
    char options[8192]; /* options of the file system; an overlay names all its layers in them */
    char flags[256];    /* flags of this mount: "rw,noatime" */
};

/* The mount of the open file. Returns 0 or -errno. */
int mount_of(int fd, struct mount *mount);

/* The mount of a descriptor of another process ("1234"). Asks no file system. Returns 0 or -errno. */
int mount_of_descriptor(const char *process, const char *descriptor, struct mount *mount);

/*
 * The mount of the absolute path. root: "", or the directory of a recorded tree: then its proc/self/mountinfo is read,
 * and the longest mount point before the path decides. Returns 0 or -errno.
 */
int mount_of_path(const char *root, const char *path, struct mount *mount);

/* Finds where the block device is mounted. Returns 0, or -ENOENT if this process sees no mount of it. */
int mount_of_device(dev_t number, struct mount *mount);

/*
 * Finds a mount of the file system that an overlay stores in. For an overlay, statfs tells the figures of its upper
 * file system, and only that one has as many blocks and inodes, in all and free. A container does not see the upper
 * directory itself, but mostly has files mounted from the same file system. Returns 0, or -ENOENT.
 */
int mount_below_overlay(const char *point, struct mount *mount);

/* Returns true if the mount has the option. Copies its value ("" if it has none) to value, which may be NULL. */
int mount_option(const struct mount *mount, const char *name, char *value, size_t value_bytes);

/* Returns true if this mount of the file system has the flag ("noatime"). */
int mount_has_flag(const struct mount *mount, const char *name);

/* Returns true if the file system was told not to flush the disk's write cache. */
int mount_has_no_barriers(const struct mount *mount);

#endif

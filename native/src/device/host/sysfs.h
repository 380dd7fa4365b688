/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's description of block devices in /sys: this machine's (root ""), or a recorded one (root: the directory
 * that holds its sys and proc). `directory` is a directory that sysfs_device or sysfs_disk found.
 */
#ifndef BURST_DEVICE_SYSFS_H
#define BURST_DEVICE_SYSFS_H

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

#define SYSFS_PATH_BYTES (PATH_MAX + 64)
#define SYSFS_LINE_BYTES 64

/* Finds the directory of a block device or partition; PATH_MAX bytes. Returns 0 or -errno. */
int sysfs_device(const char *root, dev_t number, char *directory);

/* Like sysfs_device, but finds the directory of the disk for a partition. */
int sysfs_disk(const char *root, dev_t number, char *directory);

/* The last name of a directory: "sda". */
const char *sysfs_name(const char *directory);

/* Reads the first line of a file below the directory ("queue/write_cache"), without its newline, cut to line_bytes.
 * Returns true, or false with "" if it cannot be read. */
int sysfs_line(const char *directory, const char *name, char *line, size_t line_bytes);

/* The number in the file; `missing` if it has none. */
long long sysfs_value(const char *directory, const char *name, long long missing);

/* Reads the number of the block device from the directory's file "dev". Returns true if it has one. */
int sysfs_number(const char *directory, dev_t *number);

/* Returns true if the directory has such an entry. */
int sysfs_has(const char *directory, const char *name);

/* Finds the number of the device whose node is at an absolute path. Returns true if that is a block device. */
int sysfs_node_number(const char *root, const char *path, dev_t *number);

/*
 * Calls each(argument, name) for the entries of the directory `name` below the directory, in no order, without those
 * that begin with a dot. Returns their number.
 */
int sysfs_entries(const char *directory, const char *name, void (*each)(void *argument, const char *entry),
                  void *argument);

#endif

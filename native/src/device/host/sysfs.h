/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's description of block devices in /sys: of this machine (root ""), or a recorded one (root: the
 * directory that holds its sys and proc). A directory is what sysfs_device or sysfs_disk gave.
 */
#ifndef BURST_DEVICE_SYSFS_H
#define BURST_DEVICE_SYSFS_H

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

#define SYSFS_PATH_BYTES (PATH_MAX + 64)
#define SYSFS_LINE_BYTES 64

/* The directory of a block device or partition, PATH_MAX bytes. 0 or -errno. */
int sysfs_device(const char *root, dev_t number, char *directory);

/* As sysfs_device, but a partition gives the directory of its disk. */
int sysfs_disk(const char *root, dev_t number, char *directory);

/* The last name of a directory: "sda". */
const char *sysfs_name(const char *directory);

/* The first line of a file below the directory ("queue/write_cache"), without its newline, cut to line_bytes; "" if it
 * cannot be read. True if it can. */
int sysfs_line(const char *directory, const char *name, char *line, size_t line_bytes);

/* The number that the file has; `missing` if it has none. */
long long sysfs_value(const char *directory, const char *name, long long missing);

/* The number of the block device that a directory's file "dev" gives. True if it does. */
int sysfs_number(const char *directory, dev_t *number);

/* True if the directory has such an entry. */
int sysfs_has(const char *directory, const char *name);

/* The number of the device whose node is at an absolute path. True if that is a block device. */
int sysfs_node_number(const char *root, const char *path, dev_t *number);

/*
 * Calls each(argument, name) for the entries of a directory below the directory, in no order, without those that begin
 * with a dot. Returns how many there are.
 */
int sysfs_entries(const char *directory, const char *name, void (*each)(void *argument, const char *entry),
                  void *argument);

#endif

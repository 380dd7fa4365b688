/* SPDX-License-Identifier: Apache-2.0 */
/* What /sys says, a line at a time, and where it says it of a disk. */
#ifndef BURST_DEVICE_SYSFS_H
#define BURST_DEVICE_SYSFS_H

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

#define SYSFS_PATH_BYTES (PATH_MAX + 64)

/* The first line of a file of /sys or /proc, without its newline. 0, or -errno; -ENODATA if it is empty. */
int sysfs_line(const char *path, char *line, size_t line_bytes);

/* The /sys directory of the whole disk, also for a partition; `directory` has PATH_MAX bytes. root: "" for this host,
 * or the directory of a recorded one. 0 or -errno. */
int sysfs_disk(const char *root, dev_t number, char *directory);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's own description of a block device. */
#ifndef BURST_DEVICE_SYSFS_H
#define BURST_DEVICE_SYSFS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SYSFS_PATH_BYTES (PATH_MAX + 64)
#define SYSFS_SECTOR_BYTES 512u /* whatever the sectors of the disk are */

/* One line of a /sys file, without its newline. 0 or -errno. */
int sysfs_line(const char *path, char *line, size_t line_bytes);

/* The /sys directory of the whole disk, also for a partition, into PATH_MAX bytes. 0 or -errno. */
int sysfs_disk(dev_t number, char *directory);

/* As sysfs_disk, under another root than /sys; and unless NULL: where in it the partition begins, 0 for a disk. */
int sysfs_disk_under(const char *root, dev_t number, char *directory, uint64_t *begin_bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's facts about a block device, and its users: for display and for refusals. */
#ifndef BURST_DEVICE_DISK_H
#define BURST_DEVICE_DISK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "device/host/sysfs.h"

/* A partition has the queue of its disk. A number is -1, or a text "", if the kernel does not tell. */
struct disk {
    char name[SYSFS_LINE_BYTES];         /* "nvme0n1p2" */
    char partition_of[SYSFS_LINE_BYTES]; /* "" for a whole disk */
    char model[SYSFS_LINE_BYTES];
    char write_cache[SYSFS_LINE_BYTES]; /* "write back", "write through" */
    char zoned[SYSFS_LINE_BYTES];       /* "none", "host-managed" */
    char scheduler[SYSFS_LINE_BYTES];   /* "[none] mq-deadline" */
    uint64_t bytes;
    int logical_block_bytes;
    int physical_block_bytes;
    int fua;
    int rotational;
    int dax;
    int read_only;
    int removable;
};

/* Reads the facts. root as in sysfs.h. Returns 0 or -errno. */
int disk_probe(const char *root, dev_t number, struct disk *disk);

/*
 * Says in one phrase what uses the block device or a partition of it: "its partition sdb1 is mounted on /data", "dm-0
 * (vg-logs) is made of it", "it is in use as swap space", "loop3 stores in it", "its partition sdb2 is open in process
 * 17 (java)". A user of a partition's disk counts, too. With and_partitions it also says "it has partition sdb1". "" if
 * it sees nothing. block_holders tells which processes have the device itself open.
 */
void disk_users(dev_t number, int and_partitions, char *text, size_t text_bytes);

/* The device's name that survives a change of device names, "/dev/disk/by-id/..", or "". */
void disk_lasting_name(dev_t number, char *path, size_t path_bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The class of survival of a medium, and the evidence for it: docs/durability.md has the rules, and says what they take on
 * trust. An unknown medium counts as PROCESS, which even the page cache gives.
 *
 * root: "" for this machine, or the directory of a recorded tree (sys, proc/self/mountinfo).
 */
#ifndef BURST_DEVICE_SURVIVAL_H
#define BURST_DEVICE_SURVIVAL_H

#include <sys/types.h>

#include "device/device.h"

#define SURVIVAL_EVIDENCE_BYTES DEVICE_EVIDENCE_BYTES

struct survival {
    int survives;                          /* enum durability */
    char because[SURVIVAL_EVIDENCE_BYTES]; /* evidence: "tmpfs keeps its files in memory" */
};

/* Judges a block device, also one made of others or stored in a file. */
void survival_of_block(const char *root, dev_t number, struct survival *survival);

/* The disk's own word on its cache, which drivers of SCSI and virtio disks show beside the queue (cache_type). It decides
 * where the queue says otherwise: that can be written. directory: of sysfs_disk. */
enum cache_said { CACHE_NOT_SAID, CACHE_THROUGH, CACHE_WRITE_BACK };
enum cache_said survival_cache_said(const char *directory);

/* Judges the file or directory at an absolute path; a node counts as its device. */
void survival_of_path(const char *root, const char *path, struct survival *survival);

/* Judges an open file or directory. */
void survival_of_file(int fd, struct survival *survival);

/*
 * Judges a file that need not exist yet, by its absolute path with links followed: the weaker of the file and its
 * directory, or of the nearest existing directory above.
 */
void survival_of_place(const char *path, struct survival *survival);

/* The name of the file system, "tmpfs" or another, that keeps the open regular file in memory; NULL if none does. */
const char *survival_memory_file_system(int fd);

/* The class's name: "power". */
const char *survival_name(int survives);

#endif

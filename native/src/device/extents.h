/* SPDX-License-Identifier: Apache-2.0 */
/* Sees to it that a file has blocks of its own for each of its bytes, so that a write allocates nothing. */
#ifndef BURST_DEVICE_EXTENTS_H
#define BURST_DEVICE_EXTENTS_H

#include "device/device.h"

/*
 * The first stretch at or behind `from`, below `bytes`, that is a hole, allocated but not written, or shared with
 * another file. 1 and [*begin, *end); 0 if there is none, or if the file system cannot tell; -errno.
 */
int extents_find_missing(int fd, uint64_t from, uint64_t bytes, uint64_t *begin, uint64_t *end);

/*
 * Gives a ring file written blocks of its own wherever it has none. A copy, or a file that others made, may have
 * holes, unwritten or shared blocks, and the ring would fail when a commit found no room for them. The content is
 * written over itself, so a crash at any point changes nothing, and unreadable blocks stay as they are. The file is
 * open for writing under the writer's lock; a medium that is no file stays as it is. 0, and *taken: the bytes that
 * were missing. -errno with a sentence; -ENOSPC comes before anything is written if it can be foreseen.
 */
int extents_take(struct device *device, uint64_t *taken);

/* 1 if the file system writes each block of the file to a new place, so that a block that is there already takes room
 * again. */
int extents_move(int fd);

#endif

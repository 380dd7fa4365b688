/* SPDX-License-Identifier: Apache-2.0 */
/* Sees to it that a file has blocks of its own for each of its bytes, so that a write allocates nothing. */
#ifndef BURST_DEVICE_EXTENTS_H
#define BURST_DEVICE_EXTENTS_H

#include "device/device.h"

/*
 * Finds the first stretch at or behind `from`, below `bytes`, that is a hole, allocated but not written, or shared with
 * another file. Returns 1 with [*begin, *end); 0 if there is none, or if the file system cannot tell; or -errno.
 */
int extents_find_missing(int fd, uint64_t from, uint64_t bytes, uint64_t *begin, uint64_t *end);

/*
 * Gives a ring file a written block of its own wherever it has none. A copy, or a file that others made, may
 * have holes, unwritten blocks or shared blocks, and the ring would fail when a commit found no room for them. The call
 * writes the content over itself, so a crash at any point changes nothing, and unreadable blocks stay as they are. The
 * file is open for writing under the writer's lock. A medium that is no file stays as it is. Returns 0 with *taken, the
 * number of bytes that were missing; or -errno with a sentence. It returns -ENOSPC before it writes anything, if it can
 * foresee that.
 */
int extents_take(struct device *device, uint64_t *taken);

/* Returns 1 if the file system writes each block of the file to a new place. A block that exists then takes room
 * again. */
int extents_move(int fd);

#endif

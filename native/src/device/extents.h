/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a file has blocks of its own for each of its bytes: then writing to it allocates nothing. */
#ifndef BURST_DEVICE_EXTENTS_H
#define BURST_DEVICE_EXTENTS_H

#include "device/device.h"

/*
 * The first stretch at or behind `from`, below `bytes`, that is a hole, allocated but not written, or shared with
 * another file. 1 and [*begin, *end); 0 if there is none, or if the file system cannot tell; -errno.
 */
int extents_find_missing(int fd, uint64_t from, uint64_t bytes, uint64_t *begin, uint64_t *end);

/*
 * Gives a ring file blocks of its own, written, wherever it has none: a copy or a file made by others may have holes,
 * unwritten or shared blocks, and the ring would fail where a commit finds no room for them. What the file holds is
 * written over itself, so that a crash at any point changes nothing. The file is open for writing under the writer's
 * lock. 0, *taken: bytes that were missing; -errno with a sentence: -ENOSPC, before anything is written if that can be
 * foreseen. What cannot be read is left as it is. Does nothing for a medium that is no file.
 */
int extents_take(struct device *device, uint64_t *taken);

/* 1: the file system writes each block of the file to a new place, so that it takes room for what is there already. */
int extents_move(int fd);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a folder of segments, for its readers. Also tells whether an open folder is still the one at its path. */
#ifndef BURST_CONSUME_HEAD_H
#define BURST_CONSUME_HEAD_H

#include "media/segment.h"

/* Reads the head of the open folder, which has this path. Returns 0, or -errno with a sentence. */
int head_read(int folder, const char *path, struct segments_head *head);

/*
 * Whether a log may still write to the open folder. `known` is the head that was read when the folder was opened with
 * this path. `path` is absolute, or "" if nobody knows it. `is_moved`: the folder was renamed since. Returns 0, or
 * -ESTALE with a sentence if the folder was deleted, emptied, moved away or begun anew. An error of the host proves
 * none of these: then it returns 0.
 *
 * The check does not need the folder's own path: a process that has changed its root or its rights reads on.
 */
int head_check(int folder, const char *path, const struct segments_head *known, int is_moved);

#endif

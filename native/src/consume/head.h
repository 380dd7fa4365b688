/* SPDX-License-Identifier: Apache-2.0 */
/* What a folder of segments says of itself, to those who read it, and whether a folder that is open is still the one at its path. */
#ifndef BURST_CONSUME_HEAD_H
#define BURST_CONSUME_HEAD_H

#include "media/segment.h"

/* Of the open folder, which has this path. 0, or -errno with a sentence. */
int head_read(int folder, const char *path, struct segments_head *head);

/*
 * Whether a log may still write to the open folder, which said `known` when it was opened with this path; `path` is absolute,
 * or "" where that is not known. `is_moved`: the folder was renamed since. 0; -ESTALE with a sentence: it was deleted, or
 * emptied, or moved away, or begun anew. An error of the host proves none of that: 0.
 *
 * Nothing of it needs the folder's own path to be there: a process that has changed its root or its rights reads on.
 */
int head_check(int folder, const char *path, const struct segments_head *known, int is_moved);

#endif

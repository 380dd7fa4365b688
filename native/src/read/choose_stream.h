/* SPDX-License-Identifier: Apache-2.0 */
/* The stream that a reader of a ring names. */
#ifndef BURST_READ_CHOOSE_STREAM_H
#define BURST_READ_CHOOSE_STREAM_H

#include "read/source.h"

/* Finds the stream of that name, log file or number in the newest checkpoint; NULL: the only one that is used. Returns 1
 * with *id; 0 if the reader wants all streams; or -errno with a sentence: -ESRCH, there is no such stream. */
int choose_stream(struct read_source *ring, const char *name, uint16_t *id);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One stream of a ring in one view: archives, log file or segments, then the ring.
 *
 * DESIGN. The seam is one checkpoint: the file up to its length, the ring from its drained position. Bytes of the file
 * beyond are not read. If the ring does not have that position any more, a newer checkpoint says where the file goes on.
 * With segments the seam is a sequence: the segments up to their last frame, the ring from the next sequence.
 *
 * A reader that was lapped goes back into the files. It knows the offset that belongs to its place: it has counted the
 * bytes of the records since the seam. A roll or a loss ends this count, until the reader is where the drain is. Then it
 * finds its place by sequence, if the files have indexes.
 */
#ifndef BURST_READ_JOINED_H
#define BURST_READ_JOINED_H

#include "read/source.h"

/* Opens the view of the ring. Takes over `ring`, in each case. config: as given by the reader; its stream may be NULL. */
int joined_open(const struct platform *platform, const burst_reader_config_t *config, struct read_source *ring,
                struct read_source **source);

#endif

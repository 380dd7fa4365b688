/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of segments as a source. It is no consumer: it writes nothing, and holds no segment back. */
#ifndef BURST_READ_SEGMENTS_SOURCE_H
#define BURST_READ_SEGMENTS_SOURCE_H

#include "read/source.h"

/* Opens the folder, at its oldest record. Returns 0, or -errno with a sentence. */
int segments_source_open(const struct platform *platform, const char *folder, struct read_source **source);

/* Goes to the record of that sequence, or to the next one that is there. Returns 1, 0 if none is written yet, or -errno with
 * a sentence. *first: the segments have all records of the stream from this sequence on; it is higher than `sequence` if
 * those between are gone. */
int segments_source_find(struct read_source *source, int64_t sequence, int64_t *first);

/* Whether these segments are in the folder of that path, as the log names it. */
int segments_source_is_in(const struct read_source *source, const char *folder);

/* Goes to the record that comes `count` records before the first one of that sequence. */
int segments_source_go_before(struct read_source *source, int64_t sequence, uint64_t count);

/* Whether the segment that was read last is of the ring with this crc_seed_of its uuid. Several rings may have written to
 * the folder, one after the other, each with sequences of its own. */
int segments_source_is_of(const struct read_source *source, uint32_t crc_seed);

#endif

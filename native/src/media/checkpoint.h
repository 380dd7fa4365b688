/* SPDX-License-Identifier: Apache-2.0 */
/* The checkpoint codec. No I/O. */
#ifndef BURST_MEDIA_CHECKPOINT_H
#define BURST_MEDIA_CHECKPOINT_H

#include "media/layout.h"

/* Sets magic and CRC of a checkpoint whose other fields are filled. */
void checkpoint_seal(struct checkpoint *checkpoint, uint32_t crc_seed);

/* Whether it is one of this ring, whole and plausible. */
int checkpoint_is_valid(const struct checkpoint *checkpoint, uint32_t crc_seed);

/* Whether the positions of a valid one are within a ring of this capacity. */
int checkpoint_fits(const struct checkpoint *checkpoint, uint64_t capacity_bytes);

/* The state of a ring just formatted: nothing written, nothing drained, no log file yet. */
void checkpoint_make_first(struct checkpoint *checkpoint, uint64_t generation, uint32_t crc_seed);

/* Writes the name of the log file the stream is drained to: file_name, or where it was diverted. Returns 0, or
 * -ENAMETOOLONG. */
int checkpoint_file(const struct checkpoint *checkpoint, char *path, size_t path_bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The checkpoint codec. No I/O. */
#ifndef BURST_MEDIA_CHECKPOINT_V1_H
#define BURST_MEDIA_CHECKPOINT_V1_H

#include "burstlog.h"
#include "media/layout.h"

/* Sets magic and CRC of a checkpoint whose other fields are filled. */
void checkpoint_seal(struct checkpoint *checkpoint, uint32_t crc_seed);

/* Whether it is one of this ring, whole and plausible. */
int checkpoint_is_valid(const struct checkpoint *checkpoint, uint32_t crc_seed);

/* Whether the positions of a valid one are within a ring of this capacity. */
int checkpoint_fits(const struct checkpoint *checkpoint, uint64_t capacity_bytes);

/* Whether an open goes on alike from either of two valid ones: at the same record, and with the same byte of the same file. */
int checkpoint_leads_to_the_same(const struct checkpoint *one, const struct checkpoint *other);

/* The state of a ring just formatted: nothing written, nothing drained, no log file yet. */
void checkpoint_make_first(struct checkpoint *checkpoint, uint64_t generation, uint32_t crc_seed);

/* Writes the name of the log file the stream is drained to: file_name, or where it was diverted. Returns 0, or
 * -ENAMETOOLONG. */
int checkpoint_file(const struct checkpoint *checkpoint, char *path, size_t path_bytes);

/* The figures of the BURST_STAGES stages into one that is to be sealed, and out of one that is valid. Of those that come
 * out any may be any number: they are for showing. Returns 0 if nothing had been timed. */
void checkpoint_put_stages(struct checkpoint *checkpoint, const burst_stage_stats_t *figures);
int checkpoint_get_stages(const struct checkpoint *checkpoint, burst_stage_stats_t *figures);

#endif

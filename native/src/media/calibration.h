/* SPDX-License-Identifier: Apache-2.0 */
/* The calibration codec, and the rule by which an engine is taken. No I/O. */
#ifndef BURST_MEDIA_CALIBRATION_H
#define BURST_MEDIA_CALIBRATION_H

#include "media/layout.h"

/* Sets magic and CRC of a calibration whose other fields are filled. */
void calibration_seal(struct calibration *calibration, uint32_t crc_seed);

/* Whether it is one of this ring, whole and plausible. */
int calibration_is_valid(const struct calibration *calibration, uint32_t crc_seed);

/* The measured engine with the lowest p50; but the first one (pwrite, the simplest) unless that p50 is lower by more
 * than a tenth, or by more than a half where there were fewer than 100 writes, and two of three writes took less: what
 * is as good as equal must not change from one measurement to the next. NULL if none was measured. */
const struct calibration_engine *calibration_choose(const struct calibration *calibration);

/* The figures of an engine, NULL if it was not tried. */
const struct calibration_engine *calibration_of(const struct calibration *calibration, uint32_t io);

#endif

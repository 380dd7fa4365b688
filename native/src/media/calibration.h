/* SPDX-License-Identifier: Apache-2.0 */
/* The calibration codec, and the rule that chooses an engine. No I/O. */
#ifndef BURST_MEDIA_CALIBRATION_H
#define BURST_MEDIA_CALIBRATION_H

#include "media/layout.h"

/* Sets magic and CRC of a calibration whose other fields are filled. */
void calibration_seal(struct calibration *calibration, uint32_t crc_seed);

/* Whether the calibration belongs to this ring, is whole, and is plausible. */
int calibration_is_valid(const struct calibration *calibration, uint32_t crc_seed);

/* Chooses the measured engine with the lowest p50, or NULL if none was measured. Keeps the first engine (pwrite, the
 * simplest) unless the other is clearly faster: two of three of its writes took less, and its p50 is lower by more than
 * a tenth, or by more than a half after fewer than 100 writes. Otherwise the choice among equals would change from one
 * measurement to the next. */
const struct calibration_engine *calibration_choose(const struct calibration *calibration);

/* The figures of an engine; NULL if it was not tried. */
const struct calibration_engine *calibration_of(const struct calibration *calibration, uint32_t io);

#endif

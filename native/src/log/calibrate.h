/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io = auto: the engine for a ring is measured once, on scratch blocks of its medium, and kept on the ring, so that the
 * choice does not change from open to open.
 */
#ifndef BURST_LOG_CALIBRATE_H
#define BURST_LOG_CALIBRATE_H

#include "device/device.h"
#include "device/measure.h"
#include "media/layout.h"

/*
 * Gives a device, opened as writer with io = auto, the engine that is the fastest here. Takes it from the medium's
 * calibration. Measures anew (at most CALIBRATE_BUDGET_NS and the write that is then under way) if there is none; if
 * kernel, device or working engines differ from it; or if `anew` is set. *device may afterwards be another one on the
 * same open description, so the call comes right after opening. A medium without a ring, or with a part of one, stays
 * untouched. The call never fails: in doubt it keeps the engine, and device->chosen_because says why.
 */
void device_calibrate(struct device **device, int anew);

/*
 * Opens each engine that auto may take for the medium of `first`, on the same open description; `first` was opened with
 * io=pwrite. Opens at most CALIBRATION_ENGINES_MAX. Adds those that cannot be opened to the text `fallback`.
 */
void device_open_engines(struct device *first, struct measured_engine *engines, uint32_t *count, char *fallback,
                         size_t fallback_bytes);

#define CALIBRATE_BUDGET_NS 200000000ll

/* Reads the medium's last calibration. Returns 1 with *calibration, or 0. Writes nothing. */
int device_calibration(struct device *device, struct calibration *calibration);

/* Formats the figures as one phrase: "p50 10.7 us against 17.3 us of pwrite (measured 2026-11-21T07:25:04Z)". */
void calibration_sentence(const struct calibration *calibration, char *text, size_t text_bytes);

#endif

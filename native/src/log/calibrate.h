/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io = auto: which engine writes a ring is measured once, on scratch blocks of its medium, and kept there, so that the
 * choice does not change from open to open.
 */
#ifndef BURST_LOG_CALIBRATE_H
#define BURST_LOG_CALIBRATE_H

#include "device/device.h"
#include "device/measure.h"
#include "media/layout.h"

/*
 * Gives a device opened as writer with io = auto the engine that is the fastest here: as recorded on the medium, or
 * measured (at most CALIBRATE_BUDGET_NS and the write that is under way then) if there is no record, the kernel, the
 * device or the engines that work are not those of the record, or `anew`. *device may be another one afterwards, on the
 * same open description; nothing is between opening and this call. A medium without a ring, or whose ring it does not
 * hold whole, is left alone. Never fails: in doubt it stays with what it is, and device->chosen_because says why.
 */
void device_calibrate(struct device **device, int anew);

/*
 * Opens every engine that auto may take for the medium of `first`, itself opened with io=pwrite, on the same open
 * description: at most CALIBRATION_ENGINES_MAX. What cannot be opened is added to the text `fallback`.
 */
void device_open_engines(struct device *first, struct measured_engine *engines, uint32_t *count, char *fallback,
                         size_t fallback_bytes);

#define CALIBRATE_BUDGET_NS 200000000ll

/* What the medium tells of its last calibration: 1 and *calibration, or 0. Writes nothing. */
int device_calibration(struct device *device, struct calibration *calibration);

/* The figures as one sentence: "p50 10.7 us against 17.3 us of pwrite (measured 2026-11-21T07:25:04Z)". */
void calibration_sentence(const struct calibration *calibration, char *text, size_t text_bytes);

#endif

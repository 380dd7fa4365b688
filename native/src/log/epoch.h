/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of an epoch on a recovered ring: its marker. */
#ifndef BURST_LOG_EPOCH_H
#define BURST_LOG_EPOCH_H

#include "ring/ring.h"
#include "view/ring_view.h"

/* Writes the marker of the next epoch. From here on the log is what recovery found. `block` is the marker's block of the
 * image, which becomes the marker. Fills *start but for `released`. Returns 0, or -errno with a sentence. */
int epoch_begin(const struct platform *platform, struct device *device, struct ring_view *view,
                struct record_header *block, struct ring_start *start);

#endif

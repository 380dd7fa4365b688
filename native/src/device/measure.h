/* SPDX-License-Identifier: Apache-2.0 */
/* What a durable write of one block costs with each of several engines, measured in turns on the scratch blocks. */
#ifndef BURST_DEVICE_MEASURE_H
#define BURST_DEVICE_MEASURE_H

#include "device/device.h"

struct measured_engine {
    uint32_t io;
    struct device *device; /* without an image: it gets one to write from */
    uint32_t writes;       /* measured; 0 if one failed */
    uint32_t faster;       /* of them: took less than that of the first engine in the same turn */
    uint64_t p50_ns;
    uint64_t p99_ns;
};

/*
 * Writes random blocks to the scratch place of the medium that all the devices are on, engine after engine in turns, so
 * that whatever else the host does hits all alike; some hundred each, until budget_ns is used up. An engine that fails
 * is left out. Fills the figures.
 */
void measure_engines(const struct platform *platform, struct measured_engine *engines, uint32_t count,
                     int64_t budget_ns);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Measures in turns, on the scratch blocks, the cost of a durable write of one block with each of several engines. */
#ifndef BURST_DEVICE_MEASURE_H
#define BURST_DEVICE_MEASURE_H

#include "device/device.h"

struct measured_engine {
    uint32_t io;
    struct device *device; /* without an image; measuring makes one to write from */
    uint32_t writes;       /* number of measured writes; 0 if one failed */
    uint32_t faster;       /* how many of them took less time than the first engine's write in the same turn */
    uint64_t p50_ns;
    uint64_t p99_ns;
};

/*
 * Writes random blocks to the scratch place of the medium that all these devices are on, some hundred with each engine,
 * until budget_ns is used up. The engines take turns, so that other load on the host hits all alike. Leaves out an
 * engine that fails. Fills the figures.
 */
void measure_engines(const struct platform *platform, struct measured_engine *engines, uint32_t count,
                     int64_t budget_ns);

#endif

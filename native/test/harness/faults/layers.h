/* SPDX-License-Identifier: Apache-2.0 */
/* Both layers run all first faults, then second ones, breadth first, within their time. */
#ifndef BURST_TEST_FAULTS_LAYERS_H
#define BURST_TEST_FAULTS_LAYERS_H

#include "pool.h"

struct layer {
    const char *name;
    uint32_t (*first_count)(int seconds); /* of the budget */
    /* The steps of an item end when a fault does not strike. */
    struct fault_case (*first_case)(uint32_t item, uint32_t step);
    /* Lists all faults for a session that makes so many calls of each kind. */
    uint32_t (*second_faults)(const uint32_t *calls, struct shim_fault *faults, uint32_t most);
    int has_weather;
    int tells_points;
};

int layer_main(const struct layer *layer, int argc, char **argv);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Readers see a ring on any medium as a log, or get a sentence. They change nothing. */
#include <string.h>

#include "base/error.h"
#include "harness/fuzz/medium.h"
#include "harness/fuzz/oracle.h"
#include "harness/fuzz/violation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct medium medium;
    static uint8_t before[MEDIUM_BYTES_MAX];
    medium_decode(&medium, data, size);
    struct world *world = medium_to_world(&medium);
    memcpy(before, world->device.medium, world->device.medium_bytes);
    if (medium.options[2] != 0) { /* an allocation fails in the midst of it */
        medium_fail_allocation(world, medium.options[2] % 16);
    }
    struct ring_view *view;
    const int rc = ring_view_open(&world->platform, &world->device.device, &view);
    if (rc < 0) {
        MUST(error_text()[0] != '\0');
    } else {
        const struct recovery_input input = ring_view_input(view);
        check_recovered(&input, &view->recovery);
        ring_view_close(&world->platform, view);
    }
    MUST(memcmp(before, world->device.medium, world->device.medium_bytes) == 0);
    MUST(world->allocations == 0);
    return 0;
}

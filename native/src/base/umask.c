/* SPDX-License-Identifier: Apache-2.0 */
#include "base/umask.h"

#include <stdio.h>

uint32_t umask_leaves(void) {
    char line[256];
    unsigned mask;
    uint32_t left = 0;
    FILE *status = fopen("/proc/self/status", "re");
    while (status != NULL && left == 0 && fgets(line, sizeof line, status) != NULL) {
        left = sscanf(line, "Umask: %o", &mask) == 1 ? 0666u & ~mask : 0;
    }
    if (status != NULL) {
        fclose(status);
    }
    return left;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "burstlog.h"

const char *burst_version(void) {
    return BURST_VERSION;
}

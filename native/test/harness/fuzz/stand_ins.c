/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that commands make above the engine's pieces. No target runs `burstlog drain`, which would drain until it is stopped. */
#include <errno.h>

#include "burstlog.h"
#include "log/ring_drain.h"

const char *burst_version(void) {
    return BURST_VERSION;
}

int ring_drain_run(const struct ring_drain_config *config, struct events *events, const _Atomic uint32_t *stop) {
    (void)config, (void)events, (void)stop;
    return -ENOSYS;
}

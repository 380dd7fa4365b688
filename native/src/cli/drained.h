/* SPDX-License-Identifier: Apache-2.0 */
/* A command that writes a ring must not do so beside a drain of another process, which may hold no lock of the ring itself. */
#ifndef BURST_CLI_DRAINED_H
#define BURST_CLI_DRAINED_H

#include "device/device.h"
#include "window/locks.h"

/* Takes the locks of writer and drain, if the ring has a lock file where a drain looks by default; no ring: none. Returns 0,
 * and the caller closes the locks; or -errno with a sentence, -EBUSY if another process drains it. */
int drained_lock(struct device *device, struct ring_locks *locks);

#endif

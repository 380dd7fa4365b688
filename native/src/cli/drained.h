/* SPDX-License-Identifier: Apache-2.0 */
/* A command that writes a ring must not do so beside a drain of another process, which may hold no lock of the ring itself. */
#ifndef BURST_CLI_DRAINED_H
#define BURST_CLI_DRAINED_H

#include "device/device.h"
#include "window/locks.h"

#define DRAINED_HELP                                                                                                     \
    "FOLDER is the window folder of the ring's log and drain, if they have one: nothing is done while another process\n" \
    "drains the ring. Default: beside a ring file, else /run/burstlog."

/* Takes the locks of writer and drain, if the ring has a lock file in the window's folder; no ring: none. window: that folder;
 * NULL: where a drain looks by default. Returns 0, and the caller closes the locks; or -errno with a sentence, -EBUSY if
 * another process drains it. */
int drained_lock(struct device *device, const char *window, struct ring_locks *locks);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a new file written blocks of its own that stay where they are. */
#ifndef BURST_DEVICE_ZEROFILL_H
#define BURST_DEVICE_ZEROFILL_H

#include <stdint.h>

#include "base/platform.h"

/*
 * Fills the empty file with zeros, durably: written and not just allocated, or else the first write to each block also
 * writes the file system's journal. By descriptor alone: in a folder of others its name may lead elsewhere by now. The
 * descriptor is left with O_DIRECT where that works. 0, or -errno and *what was tried; no sentence.
 */
int zerofill(const struct platform *platform, int fd, uint64_t bytes, const char **what);

#endif

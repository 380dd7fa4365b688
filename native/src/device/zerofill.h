/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a new file written blocks of its own that stay where they are. */
#ifndef BURST_DEVICE_ZEROFILL_H
#define BURST_DEVICE_ZEROFILL_H

#include <stdint.h>

#include "base/platform.h"

/*
 * Fills the empty file with zeros, durably. It writes them and does not just allocate blocks: otherwise the first write
 * to each block would also write the file system's journal. It uses the descriptor alone, since in a folder of others
 * the name may now lead to another file. It leaves O_DIRECT set if that works. Returns 0, or -errno with *what it
 * tried; sets no sentence.
 */
int zerofill(const struct platform *platform, int fd, uint64_t bytes, const char **what);

#endif

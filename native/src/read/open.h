/* SPDX-License-Identifier: Apache-2.0 */
/* From the path that a reader was given to the source of its records. */
#ifndef BURST_READ_OPEN_H
#define BURST_READ_OPEN_H

#include "read/source.h"

/* Opens the source. Returns 0, or -errno with a sentence. The caller then seeks. */
int read_open(const struct platform *platform, const burst_reader_config_t *config, struct read_source **source);

/* Whether the source is a ring, by its first bytes: a device, a socket of a window, or a file of it. */
int read_is_ring(const char *path);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BURST_ROLLING_CONFIG_H
#define BURST_ROLLING_CONFIG_H

#include "rolling/files.h"

/* The values of a stream's rolling, and those of them that are read here, if its ring and log file are at these absolute paths. 0, or
 * with a sentence -EINVAL and the like, or -ENOPKG: zlib is missing. */
int rolling_check(const char *ring, const char *file, const burst_rolling_t *values, struct rolling_files *files);

#endif

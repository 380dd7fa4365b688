/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BURST_ROLLING_CONFIG_H
#define BURST_ROLLING_CONFIG_H

#include "rolling/files.h"

/* Checks the values of a stream's rolling, and reads the pattern and loads zlib into `files`. Ring and log file are at
 * these absolute paths. Returns 0, or with a sentence -EINVAL and the like, or -ENOPKG if zlib is missing. */
int rolling_check(const char *ring, const char *file, const burst_rolling_t *values, struct rolling_files *files);

#endif

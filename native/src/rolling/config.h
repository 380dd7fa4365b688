/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BURST_ROLLING_CONFIG_H
#define BURST_ROLLING_CONFIG_H

#include "media/checkpoint.h"
#include "rolling/files.h"

/* Checks the values of a stream's rolling, and reads the pattern and loads zlib into `files`. Ring and log file are at
 * these absolute paths. Returns 0, or with a sentence -EINVAL and the like, or -ENOPKG if zlib is missing. */
int rolling_check(const char *ring, const char *file, const burst_rolling_t *values, struct rolling_files *files);

/* Does with rolled files what the rules of a roll say; without a pattern they stay as they are. `files` has room for
 * what follows from the rules. Otherwise like rolling_files_tidy; -ENOPKG if a library is missing. */
int rolling_tidy_by(const char *ring, const struct outlet_rules *rules, struct rolling_files *files, int64_t now_ns,
                    int64_t *again_ns);

#endif

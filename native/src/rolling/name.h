/* SPDX-License-Identifier: Apache-2.0 */
/* Names of rolled files: a folder, and a pattern. */
#ifndef BURST_ROLLING_NAME_H
#define BURST_ROLLING_NAME_H

#include <stdint.h>
#include <time.h>

#include "base/path.h"
#include "burstlog.h"

#define ROLLING_NAME_BYTES 256

struct rolling_name {
    char folder[BURST_PATH_BYTES];    /* absolute path */
    char pattern[ROLLING_NAME_BYTES]; /* pattern of the names in the folder */
    int has_index;
};

/* Reads a pattern. Returns 0, or -errno with a sentence. */
int rolling_name_read(const char *ring, const char *given, struct rolling_name *name);

/* Makes the path of a rolled file from its index and the time at which the log began to write it. */
void rolling_name_make(const struct rolling_name *name, int64_t time_s, uint64_t index, char *path, size_t path_bytes);

/* Whether a file of the folder may be a rolled one, judged by its name. Sets *index, or 0 without one, and whether the
 * file is compressed. A number that was added because the name was taken is no index. */
int rolling_name_fits(const struct rolling_name *name, const char *file, uint64_t *index, int *is_compressed);

/* Whether a rolled file may get the name of a diverted log: the path of the log file, then ".burst-" (older versions:
 * "."), then numbers. */
int rolling_name_is_diverted(const struct rolling_name *name, const char *path);

/* Whether the file at this absolute path would be taken for a rolled one. */
int rolling_name_hits(const struct rolling_name *name, const char *path);

#endif

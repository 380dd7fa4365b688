/* SPDX-License-Identifier: Apache-2.0 */
/* What rolled files are called: a folder, and a pattern of their names. */
#ifndef BURST_ROLLING_NAME_H
#define BURST_ROLLING_NAME_H

#include <stdint.h>
#include <time.h>

#include "base/path.h"
#include "burstlog.h"

#define ROLLING_NAME_BYTES 256

struct rolling_name {
    char folder[BURST_PATH_BYTES];    /* absolute */
    char pattern[ROLLING_NAME_BYTES]; /* of what follows it */
    int has_index;
};

/* 0, or -errno with a sentence. */
int rolling_name_read(const char *ring, const char *given, struct rolling_name *name);

/* The path of a file that begins to be written at this time and has that index. */
void rolling_name_make(const struct rolling_name *name, int64_t time_s, uint64_t index, char *path, size_t path_bytes);

/* Whether a file in the folder may be a rolled one, by its name: *index, or 0, and whether it is compressed. A number that was
 * added to a name that was taken does not count. */
int rolling_name_fits(const struct rolling_name *name, const char *file, uint64_t *index, int *is_compressed);

/* Whether a rolled file may have a name like those that a log file at this path gets when it cannot go on under its own: the path
 * and ".burst-" with numbers behind it; of older versions, numbers alone. */
int rolling_name_is_diverted(const struct rolling_name *name, const char *path);

/* Whether the file at this absolute path is one that would be taken for a rolled file. */
int rolling_name_hits(const struct rolling_name *name, const char *path);

#endif

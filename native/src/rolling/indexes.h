/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The indexes of rolled files that are deleted. An index belongs to a file by its content: so that is looked at while the
 * file is there, and its indexes go after it. If that fails, they stay: nobody needs them.
 */
#ifndef BURST_ROLLING_INDEXES_H
#define BURST_ROLLING_INDEXES_H

#include <sys/stat.h>

#include "media/index.h"

struct rolling_file_begin {
    size_t bytes; /* 0: the file has no index, or cannot be read */
    int is_plain;
    struct stat status;
    uint8_t text[INDEX_TEXT_BYTES];
};

/* Reads how the file begins, if there are indexes that may be its own. home: the folder of the log file; "": not known, then
 * the folder of rolled files and the two above it are looked at, as readers do. */
void rolling_indexes_look(const char *home, const char *folder, const char *name, struct rolling_file_begin *begin);

/* Removes the indexes of the file, which is gone. */
void rolling_indexes_remove(const char *home, const char *folder, const struct rolling_file_begin *begin);

#endif

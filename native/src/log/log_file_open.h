/* SPDX-License-Identifier: Apache-2.0 */
/* Remembers what an open makes for its log file, so that a refused open can remove it again. */
#ifndef BURST_LOG_FILE_OPEN_H
#define BURST_LOG_FILE_OPEN_H

#include "burstlog.h"

struct log_file_before {
    char target[BURST_PATH_BYTES]; /* path with all links followed */
    int is_missing;
    unsigned folders_missing; /* missing folders above it */
};

/* Looks what exists. Call it before anything is made. */
void log_file_look(const char *file_name, struct log_file_before *before);

/* The open is refused, and no longer holds the file. Removes the file and the folders that were missing, if they are
 * empty. */
void log_file_take_back(const struct log_file_before *before);

#endif

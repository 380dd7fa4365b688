/* SPDX-License-Identifier: Apache-2.0 */
/* What an open makes for its log file: noted, so that a refused open can remove it again. */
#ifndef BURST_LOG_FILE_OPEN_H
#define BURST_LOG_FILE_OPEN_H

#include "burstlog.h"

struct log_file_before {
    char target[BURST_PATH_BYTES]; /* links followed */
    int is_missing;
    unsigned folders_missing; /* above it */
};

/* Notes what is there. Call it before anything is made. */
void log_file_look(const char *file_name, struct log_file_before *before);

/* The open is refused, and holds the file no more. Removes the file and the folders that were missing, if they are
 * empty. */
void log_file_take_back(const struct log_file_before *before);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What opening a log makes for its log file, so that a refused open leaves nothing of it. */
#ifndef BURST_LOG_FILE_OPEN_H
#define BURST_LOG_FILE_OPEN_H

#include "burstlog.h"

struct log_file_before {
    char target[BURST_PATH_BYTES]; /* links followed */
    int is_missing;
    unsigned folders_missing; /* above it */
};

/* Before anything is made. */
void log_file_look(const char *file_name, struct log_file_before *before);

/* The open is refused, and nothing of it holds the file any more: what was missing is missing again, as far as it is empty. */
void log_file_take_back(const struct log_file_before *before);

#endif

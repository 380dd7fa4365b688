/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done with rolled files: they are compressed, and the oldest are deleted. At no moment is a file absent that is to be
 * kept, nor has a part of one its name:
 *
 *     a file .NAME.burst-tmp gets the compressed bytes    a crash leaves it behind: it is deleted
 *     it is synced, and is given the name NAME.gz          a crash leaves both, each whole: they have one time of change
 *     the folder is synced, NAME is deleted
 *
 * A file that is being compressed is locked, so that of two threads, or processes, one does it.
 */
#ifndef BURST_ROLLING_FILES_H
#define BURST_ROLLING_FILES_H

#include "rolling/gzip.h"
#include "rolling/name.h"

struct rolling_files {
    struct rolling_name name;
    struct gzip gzip;
    uint32_t compress;
    uint64_t keep_files, keep_bytes;    /* UINT64_MAX: all */
    int64_t keep_ns;                    /* INT64_MAX: for ever */
    const _Atomic uint32_t *is_stopped; /* once it is set what is under way ends soon */
};

/* The highest index that a rolled file has; 0 if none has any. 0 or -errno with a sentence. */
int rolling_files_last(const struct rolling_files *files, uint64_t *index);

/* Does all that is to be done. 0, or -errno with a sentence about what could not be done; the rest was. */
int rolling_files_tidy(const struct rolling_files *files, int64_t now_ns);

#endif

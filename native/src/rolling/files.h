/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work on rolled files: compressing them, and deleting the oldest. At each moment, every file that is to be kept is
 * there, and no unfinished file has a rolled file's name:
 *
 *     a file .NAME.burst-tmp gets the compressed bytes   after a crash the next run deletes it
 *     it is synced, and gets the name NAME.gz or .zst    after a crash both files are whole, and have one time of change
 *     the folder is synced, NAME is deleted
 *
 * A thread locks the file that it compresses, so that no other thread or process compresses it, too.
 */
#ifndef BURST_ROLLING_FILES_H
#define BURST_ROLLING_FILES_H

#include "media/roll_layout.h"
#include "rolling/gzip.h"
#include "rolling/name.h"
#include "rolling/zstd.h"

struct rolling_files {
    struct rolling_name name;
    char home[BURST_PATH_BYTES]; /* the folder of the log file, which has the indexes; "": not known */
    struct gzip gzip;
    struct zstd zstd;
    uint32_t compress; /* enum roll_compression */
    int level;         /* 0: the library's default */
    int is_by_time;    /* 1: the file that was written last is the newest one. 0: the one of the highest index */
    uint64_t keep_files, keep_bytes;    /* UINT64_MAX: keep all */
    int64_t keep_ns;                    /* INT64_MAX: keep for ever */
    int64_t delay_ns;                   /* so long a rolled file stays plain after its last write */
    const _Atomic uint32_t *is_stopped; /* once set, the work under way ends soon */
};

/* Finds the highest index of a rolled file; 0 if no file has one. Returns 0, or -errno with a sentence. */
int rolling_files_last(const struct rolling_files *files, uint64_t *index);

/* Compresses and deletes as configured. Goes on after an error. Returns 0, or the first -errno with the sentences of
 * all errors. *again_ns: how long until the next file may be compressed, -1: none waits. */
int rolling_files_tidy(const struct rolling_files *files, int64_t now_ns, int64_t *again_ns);

#endif

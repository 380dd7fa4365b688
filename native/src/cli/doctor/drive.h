/* SPDX-License-Identifier: Apache-2.0 */
/* The measurements of `burstlog doctor --drive-report`. */
#ifndef BURST_CLI_DRIVE_H
#define BURST_CLI_DRIVE_H

#include <stdint.h>

/* How long writes took, one after the other. */
struct drive_figures {
    uint64_t writes;
    int64_t *took_ns; /* sorted after the last write */
};

/* The ways of writing that public tables of drives compare, each past the page cache. */
enum drive_way {
    DRIVE_NO_SYNC,   /* durable at any time */
    DRIVE_DSYNC,     /* O_DSYNC */
    DRIVE_FDATASYNC, /* a sync behind each write */
    DRIVE_WAYS
};

#define DRIVE_WAY_BYTES 8192u

/* Makes room for so many figures. Returns 0, or -ENOMEM with a sentence. The caller frees took_ns. */
int drive_figures_allocate(struct drive_figures *figures, uint64_t writes);
void drive_figures_sort(struct drive_figures *figures);

/* Writes up to `writes` blocks of DRIVE_WAY_BYTES in each of the ways, for 10 s at most, round the first `bytes` of the
 * file or device. Overwrites them. Returns 0, or -errno with a sentence that calls the file `name`. The caller frees the
 * figures. */
int drive_measure_ways(const char *path, const char *name, uint64_t bytes, uint64_t writes,
                       struct drive_figures ways[DRIVE_WAYS]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One place from which a reader gets records: a ring, log files, segments, or several of them one after the other.
 *
 * A source never waits in `next`. It hands out what is durable, in order, each record once or as missed. It writes
 * nothing and takes no lock.
 */
#ifndef BURST_READ_SOURCE_H
#define BURST_READ_SOURCE_H

#include <sys/stat.h>

#include "base/platform.h"
#include "burstlog.h"

struct read_needle;

struct read_source {
    const struct read_source_ops *ops;
    int waits;                  /* the caller of `next` is going to wait if there is nothing */
    struct read_needle *needle; /* NULL: all lines are wanted */
};

/* The file that has the record which was given last. */
struct read_file {
    char path[BURST_PATH_BYTES]; /* of segments: their folder */
    struct stat status;
};

struct read_source_ops {
    /* Takes the next record. Returns 1; 0 if none is durable yet, or if the source has ended; -errno with a sentence.
     * The caller has set struct_bytes; the source fills all other fields. */
    int (*next)(struct read_source *source, burst_read_t *record);
    /* Waits until `next` may have a record, or for timeout_ns (< 0: no limit). May return early. Returns 0, or -errno
     * with a sentence. NULL: the source has ended when `next` returns 0. */
    int (*wait)(struct read_source *source, int64_t timeout_ns);
    /* Goes to a record: burst_reader_seek. */
    int (*seek)(struct read_source *source, enum burst_read_from from, int64_t value);
    /* Fills the fields of the state that the source knows; adds to `files` and `seeks`. */
    void (*state)(const struct read_source *source, burst_reader_state_t *state);
    void (*close)(struct read_source *source);
    /* Tells the file of the record that `next` gave last. Returns 1, or 0 if it came from a ring. */
    int (*file)(const struct read_source *source, struct read_file *file);
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog where` in log files, archives and segments: by their indexes and frames, without a ring. */
#ifndef BURST_CLI_WHERE_FILE_H
#define BURST_CLI_WHERE_FILE_H

#include "cli/report.h"
#include "read/archive_names.h"
#include "read/source.h"

struct where_asked {
    const char *path;                /* a log file, an archive of one, or a folder of segments */
    int with_archives;               /* also in the archives of the log file ... */
    const char *archives;            /* ... as burst_reader_config_t.archives says */
    const struct other_logs *others; /* the ring's log files; NULL: not known */
    int by_offset;                   /* the record that has byte `number` of the file; 0: the record of this sequence */
    uint64_t number;
};

struct where_found {
    struct read_source *source; /* the record's data is its own */
    burst_read_t record;
    struct read_file file;
};

/* Returns 1 with *found, which the caller ends; 0 if it is not there; or -errno with a sentence: -ERANGE if no index says. */
int where_find(const struct where_asked *asked, struct where_found *found);

void where_end(struct where_found *found);

/* Prints the place: file, inode, offset, and what the file's medium survives. */
void where_print_place(struct report *report, const struct where_found *found);

/* Prints all that is known of the record, and what is not. */
void where_print(struct report *report, const struct where_found *found);

void where_print_time(struct report *report, const char *name, int64_t time_ns);

/* time_ns 0: the append gave no time. */
void where_print_event_time(struct report *report, int64_t time_ns);

#endif

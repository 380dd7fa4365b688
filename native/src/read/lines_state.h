/* SPDX-License-Identifier: Apache-2.0 */
/* The insides of read/lines.h, for its files alone. */
#ifndef BURST_READ_LINES_STATE_H
#define BURST_READ_LINES_STATE_H

#include <sys/stat.h>

#include "read/archive_names.h"
#include "read/records.h"
#include "read/source.h"
#include "read/unpack.h"

#define LINES_FOLDERS 8

struct lines_file {
    char *path;
    uint64_t from, limit;
    int fd;             /* held open; -1: not yet */
    struct stat status; /* when it was listed; st_ino 0: it was not */
};

/* A folder whose indexes were listed. */
struct lines_folder {
    char *path;
    struct index_folder *indexes;
};

struct lines {
    struct read_source source;
    const struct platform *platform;
    int follow;
    struct lines_file *files;
    size_t count, room;
    size_t at; /* the file that is read */
    int is_open;
    struct unpacked file;
    struct stat status; /* of the open file */
    uint8_t *buffer;
    size_t buffer_room, begin, end;
    uint64_t line_offset; /* of the byte at `begin` in its file, unpacked */
    uint64_t opened, seeks, skipped;

    char *log_file, *archives; /* of the last listing, to find a file that was renamed since; NULL: none was listed */
    struct other_logs others;  /* the log files of other streams */
    char *home;                /* the folder of the log file, if that is known; NULL: it is not */
    struct lines_folder folders[LINES_FOLDERS];
    size_t folder_count;
    struct records *records; /* of the open file; NULL: it has no index */
    struct records_item item;
    int has_item;          /* the next record, which begins or ends behind line_offset */
    int is_amid;           /* the reader began in the midst of a record, whose rest it does not want */
    int64_t next_sequence; /* behind the last record that was given; 0: none was */
    uint64_t wanted;       /* records below this sequence are passed over */
    int64_t wanted_ns;     /* records of an earlier event time are passed over until one is not; INT64_MIN: none is */
    int had_index;         /* a file before had one */
    uint64_t held_at;      /* text that no index has yet: where it begins, and when it was first seen; 0: none */
    int64_t held_ns;
    int64_t paired_ns; /* when an index was last looked for */
    int has_lines;     /* a line was given that no index has */
    char why[400];     /* why an index is not believed: one sentence without its end */
};

static inline struct lines *lines_of(struct read_source *source) {
    return (struct lines *)source;
}

/* Opens the file that is due. Returns 0, 1 if it is gone, or -errno with a sentence. */
int lines_open_file(struct lines *lines);

void lines_leave_file(struct lines *lines);

/* Looks for the index of the open file. Returns 0, or -errno with a sentence. */
int lines_pair(struct lines *lines);

/* Goes to that byte of the open file. Returns 0, or -errno with a sentence. */
int lines_go_to(struct lines *lines, uint64_t offset);

/* Makes room behind the bytes that are there, and reads on. Returns the number of new bytes, 0 at the end, or -errno. */
int64_t lines_fill(struct lines *lines);

/* Takes the next line of the open file, or its part before the byte `stop`. Returns 1; 0 at its end; -errno. */
int lines_next_line(struct lines *lines, uint64_t stop, burst_read_t *record);

/* Goes to the last `count` records and lines. Returns 0, or -errno with a sentence. */
int lines_go_to_last(struct lines *lines, uint64_t count);

/* Goes to a sequence or time, by the indexes. Returns 0, or -errno with a sentence. */
int lines_go_to_goal(struct lines *lines, enum index_goal goal, int64_t value);

/* The open file, the last one, has lost its name: goes on with the files behind it that have lost it, too, then with the one
 * that has it now. Returns 0, also if none has it at this moment; or -errno with a sentence. */
int lines_follow_roll(struct lines *lines);

/* Forgets all files but the last one. */
void lines_keep_last(struct lines *lines);

/* Adds the archives of the log file behind that one, whose names are like its own; none if that one is gone. Returns 0, or
 * -errno with a sentence. */
int lines_add_behind(struct lines *lines, const char *log_file, const struct stat *first);

/* Finds a listed file again that has another name now. Returns 1 with its path; 0: it is gone; or -errno with a sentence. */
int lines_find_again(const struct lines *lines, const struct stat *listed, char *path, size_t room);

#endif

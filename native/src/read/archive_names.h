/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of archives: to which log file they belong, and in which order they were made. Names say little, so nothing
 * that is known of the files is set aside for them. No I/O.
 */
#ifndef BURST_READ_ARCHIVE_NAMES_H
#define BURST_READ_ARCHIVE_NAMES_H

#include <stddef.h>

/* Paths of the log files of a ring's streams: each with its NUL, one behind the other. Begins as zeros. */
struct other_logs {
    char *paths;
    size_t bytes;
};

/* Adds a path, once. Returns 0, or -ENOMEM with a sentence. */
int other_logs_add(struct other_logs *others, const char *path);

void other_logs_clear(struct other_logs *others);

/* Whether the file is one of these but log_file, or one of their archives by its name rather than one of log_file. others
 * may be NULL. */
int other_logs_have(const struct other_logs *others, const char *path, const char *log_file);

/* Whether the file is an archive of app.log by its name: app.log.1, app-2026-11-23.log.gz, app.log.burst-7 ... The name
 * begins with "app", goes on with no letter, and has ".log" in it. A ring may be named app.log.ring. */
int archive_name_fits(const char *name, const char *log_name);

int archive_is_packed(const char *path);

/* Whether the paths differ in numbers alone, and in how the files are compressed. */
int archive_names_are_alike(const char *one, const char *other);

/* Compares the last numbers of two paths that are else alike: < 0, > 0; 0 if they are not, or if these are equal. */
int archive_names_by_number(const char *one, const char *other);

/* Compares the paths of archives of the same time. numbers_fall: of those that differ in their last number, the higher
 * one is the older one, as with fileIndex="min". It is a total order. */
int archive_names_compare(const char *one, const char *other, int numbers_fall);

#endif

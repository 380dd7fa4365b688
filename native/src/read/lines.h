/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log files, one after the other: records, if an index belongs to the file, and lines of the text that no index has.
 *
 * DESIGN. The text gives the bytes, the index says where records are; so an index that lies can only cut the text
 * otherwise. Text that the index does not have comes as lines, and no byte of a file is left out or comes twice.
 */
#ifndef BURST_READ_LINES_H
#define BURST_READ_LINES_H

#include <sys/stat.h>

#include "read/archive_names.h"
#include "read/source.h"

#define LINES_TO_THE_END UINT64_MAX

/* Makes a source without files. Returns 0, or -ENOMEM with a sentence. follow: at the end of the last file the source
 * goes on with what is under the file's name then, as files that others roll need it. */
int lines_make(const struct platform *platform, int follow, struct read_source **lines);

/* Adds a file behind those that are there. It is opened when the reader gets there. A plain file is read from `from` up
 * to `limit`. Returns 0, or -ENOMEM with a sentence. */
int lines_add(struct read_source *lines, const char *path, uint64_t from, uint64_t limit);

/* As lines_add, a file that was listed with this status: under that name may be another one when it is opened. */
int lines_add_listed(struct read_source *lines, const char *path, const struct stat *listed);

/* Reads the last file up to `limit`, if it was added with a lower one. */
void lines_extend(struct read_source *lines, uint64_t limit);

/* Opens the last file now, so that it is found again under any name. Returns 0, or -errno with a sentence. */
int lines_hold(struct read_source *lines);

/* The number of files that were added and not forgotten. */
size_t lines_count(const struct read_source *lines);

/* Forgets the last file, which is not read yet. */
void lines_drop(struct read_source *lines);

/* Forgets all files. */
void lines_clear(struct read_source *lines);

/* Takes over what the other source has counted, and closes it. */
void lines_take_over(struct read_source *lines, struct read_source *other);

/* Adds the archives of the log file: those that match the shell pattern `archives`, or if it is NULL those beside the log
 * file whose names begin as its own does; the oldest first, by the time of their last change. behind_of: only those behind
 * this file; NULL: all. live_file: the one that is written; if the log was diverted to it, the file under the log's own name
 * is an archive. has_begun 0: it is empty, or its name still leads to the last archive. Returns 0, or -errno with a
 * sentence. */
int lines_add_archives(struct read_source *lines, const char *log_file, const char *live_file, const char *archives,
                       const struct stat *behind_of, int has_begun);

/* The files of other streams, and their archives, are none of this log file. Returns 0, or -ENOMEM with a sentence. */
int lines_know_other(struct read_source *lines, const char *log_file);

/* Where the archives of a log file are that is read alone, as burst_reader_config_t.archives says. Returns 0, or -ENOMEM with
 * a sentence. */
int lines_know_archives(struct read_source *lines, const char *archives);

/* Calls `each` with the path of each archive beside the log file, in the same order but that no index is asked, until it
 * returns another value than 0. others: as lines_know_other; may be NULL. Returns that value, or -errno with a sentence. */
int lines_each_archive(const char *log_file, const struct other_logs *others,
                       int (*each)(void *argument, const char *path), void *argument);

/* Goes on in the last file, which is open, at that offset. Returns 1; 0 if it cannot: it is not open, or is compressed. */
int lines_resume(struct read_source *lines, uint64_t offset, uint64_t limit);

/* The status of the last file, if it is open or held; or of the last one that was read, if those behind it are gone. Returns 1,
 * or 0. */
int lines_status(const struct read_source *lines, struct stat *status);

/* Goes to the record whose text has that byte of the only file, or to the next one. Returns 0, -ERANGE without an index, or
 * another -errno with a sentence. */
int lines_go_to_byte(struct read_source *lines, uint64_t offset);

/* The sequence with which the oldest indexed file begins, at the lowest. Returns 1, 0 if no file has an index, or -errno
 * with a sentence. Moves the place. */
int lines_oldest(struct read_source *lines, int64_t *sequence);

/* Whether the last seek by sequence or time found a record. */
int lines_has_found(const struct read_source *lines);

#endif

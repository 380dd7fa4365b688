/* SPDX-License-Identifier: Apache-2.0 */
/* Log files, one after the other, as lines: what a reader gets of files that have no index. */
#ifndef BURST_READ_LINES_H
#define BURST_READ_LINES_H

#include <sys/stat.h>

#include "read/source.h"

#define LINES_TO_THE_END UINT64_MAX

/* Makes a source without files. Returns 0, or -ENOMEM with a sentence. follow: at the end of the last file the source
 * goes on with what is under the file's name then, as files that others roll need it. */
int lines_make(const struct platform *platform, int follow, struct read_source **lines);

/* Adds a file behind those that are there. It is opened when the reader gets there. A plain file is read from `from` up
 * to `limit`. Returns 0, or -ENOMEM with a sentence. */
int lines_add(struct read_source *lines, const char *path, uint64_t from, uint64_t limit);

/* Reads the last file up to `limit`, if it was added with a lower one. */
void lines_extend(struct read_source *lines, uint64_t limit);

/* Opens the last file now, so that it is found again under any name. Returns 0, or -errno with a sentence. */
int lines_hold(struct read_source *lines);

/* Forgets the last file, which is not read yet. */
void lines_drop(struct read_source *lines);

/* Forgets all files. */
void lines_clear(struct read_source *lines);

/* Adds the archives of the log file: those that match the shell pattern `archives`, or if it is NULL those beside the log
 * file whose names begin as its own does; the oldest first, by the time of their last change. behind_of: only those that
 * changed later than this file; NULL: all. has_begun 0: the log file is empty, or its name still leads to the last archive.
 * Returns 0, or -errno with a sentence. */
int lines_add_archives(struct read_source *lines, const char *log_file, const char *archives,
                       const struct stat *behind_of, int has_begun);

/* Goes on in the last file, which is open, at that offset. Returns 1; 0 if it cannot: it is not open, or is compressed. */
int lines_resume(struct read_source *lines, uint64_t offset, uint64_t limit);

/* The status of the last file, if it is open or held. Returns 1, or 0. */
int lines_status(const struct read_source *lines, struct stat *status);

#endif

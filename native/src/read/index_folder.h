/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The indexes in one folder, and which of them belongs to a log file. Names say nothing, since strategies change those
 * of the files: the content does. The head of each index that was read is kept, so that of many indexes few are opened for a file.
 */
#ifndef BURST_READ_INDEX_FOLDER_H
#define BURST_READ_INDEX_FOLDER_H

#include <stddef.h>

#include "read/index.h"

struct index_folder;

/* The log file or archive whose index is wanted. */
struct index_wanted {
    const char *folder;   /* the folder in which the log wrote the file; of index_open alone */
    const uint8_t *begin; /* its first bytes: INDEX_TEXT_BYTES, or all if it is shorter */
    size_t begin_bytes;
    uint64_t bytes;      /* its length; UINT64_MAX: unknown, of a compressed one */
    const int *file;     /* its descriptor, if it may have grown since; NULL: it has not */
    int64_t modified_ns; /* its last change: indexes of about that time are tried first; any value will do */
};

/* Lists the indexes of the log files of the folder; there may be none. Returns 0, or -errno with a sentence. */
int index_folder_open(const char *folder, struct index_folder **list);

void index_folder_close(struct index_folder *list);

/* Opens the index of this file that has its text at `offset`, or else the next one behind it. A file has several indexes
 * if one was full or damaged. Returns 1; 0 if there is none; or -errno with a sentence. */
int index_folder_find(struct index_folder *list, const struct index_wanted *wanted, uint64_t offset,
                      struct index_file **index);

/* As index_folder_find, the one behind the index of that path: its name comes next, or soon. */
int index_folder_find_next(struct index_folder *list, const struct index_wanted *wanted, uint64_t offset,
                           const char *path, struct index_file **index);

/* Calls `each` with the path of each index of the file. Calls it for none if two of them have the same text: then another
 * file begins alike, and nobody can say whose they are. Looks at the nearest in time, and at those beside it by name.
 * Returns 0, or -errno with a sentence. */
int index_folder_each(struct index_folder *list, const struct index_wanted *wanted,
                      void (*each)(void *argument, const char *path), void *argument);

/* Whether the file is so long, by now. */
int index_wanted_has(const struct index_wanted *wanted, uint64_t bytes);

/* One sentence without its end: an index that was passed over, and why. "": the last find passed over none. */
const char *index_folder_why(const struct index_folder *list);

/* index_folder_find in the folder that `wanted` names. */
int index_open(const struct index_wanted *wanted, uint64_t offset, struct index_file **index);

#endif

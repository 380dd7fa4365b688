/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a log file, for readers: media/index.h. It only says where records are: the bytes come from the log file
 * or archive. A log may go on writing it. Each look takes at most two reads of the index.
 */
#ifndef BURST_READ_INDEX_H
#define BURST_READ_INDEX_H

#include "media/index.h"

struct index_file;

/* The log file or archive whose index is wanted. Names say nothing, since strategies change them: the content does. */
struct index_wanted {
    const char *folder;   /* the folder in which the log wrote the file */
    const uint8_t *begin; /* its first bytes: INDEX_TEXT_BYTES, or all if it is shorter */
    size_t begin_bytes;
    uint64_t bytes;     /* its length; UINT64_MAX: unknown, of a compressed one */
    int64_t modified_s; /* its last change: indexes of about that time are tried first; any value will do */
};

/* Opens the index of this file that has its text at `offset`, or else the next one behind it. A file has several indexes
 * if one was full or damaged. Returns 1; 0 if there is none; or -errno with a sentence. */
int index_open(const struct index_wanted *wanted, uint64_t offset, struct index_file **index);

void index_close(struct index_file *index);

/* Where the text of the index begins, and where it ends by now. */
uint64_t index_begin(const struct index_file *index);
int index_end(struct index_file *index, uint64_t *offset);

/* The record that index_find looks for. */
enum index_goal {
    INDEX_SEQUENCE, /* the first record of this sequence or a higher one */
    INDEX_TIME,     /* the first record with this event time or a later one */
    INDEX_OFFSET,   /* the first record whose text ends behind this offset */
};

/* Goes to that record, so that index_next gives it. Returns 1; 0 with the index at its end if it has none; or -errno
 * with a sentence. */
int index_find(struct index_file *index, enum index_goal goal, int64_t value);

/* Takes the next item: a record, a loss or a time. Returns 1, 0 at the end of what is written, or -errno with a
 * sentence. */
int index_next(struct index_file *index, struct index_item *item);

/* When the record of this sequence was durable: *durable_ns, CLOCK_REALTIME, or a little earlier. Returns 1; 0 if the
 * index does not say; or -errno with a sentence. Moves the place. */
int index_durable(struct index_file *index, uint64_t sequence, int64_t *durable_ns);

/* How many reads of the index were made. */
uint64_t index_reads(const struct index_file *index);

#endif

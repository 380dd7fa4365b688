/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a log file, for readers: media/index.h. It only says where records are: the bytes come from the log file
 * or archive. A log may go on writing it. Each look takes at most two reads of the index.
 */
#ifndef BURST_READ_INDEX_H
#define BURST_READ_INDEX_H

#include "media/index.h"

struct index_file;

/* The first bytes of an index: what tells to which file it belongs. */
struct index_head {
    uint32_t version;              /* 0: it is no index */
    uint64_t sequence, offset;     /* as in struct index_header */
    uint32_t text_bytes, text_crc; /* as in struct index_text */
};

/* Opens the index at the path. Returns 1; 0 if it is none of this version, or whole; or -errno with a sentence. */
int index_open_at(const char *path, struct index_head *head, struct index_file **index);

void index_close(struct index_file *index);

/* Where the text of the index begins, and where it ends by now. */
uint64_t index_begin(const struct index_file *index);
int index_end(struct index_file *index, uint64_t *offset);

/* The record or loss that index_find looks for. */
enum index_goal {
    INDEX_SEQUENCE, /* the first record of this sequence or a higher one, or the loss that has it */
    INDEX_TIME,     /* the first record with this event time or a later one, or a loss directly before it */
    INDEX_OFFSET,   /* the first record or loss whose text ends behind this offset */
};

/* Goes to that record or loss, so that index_next gives it. Returns 1; 0 with the index at its end if it has none; or -errno
 * with a sentence. */
int index_find(struct index_file *index, enum index_goal goal, int64_t value);

/* Takes the next item: a record, a loss or a time. Returns 1, 0 at the end of what is written, or -errno with a
 * sentence. */
int index_next(struct index_file *index, struct index_item *item);

/* When the record of this sequence was durable: *durable_ns, CLOCK_REALTIME, or a little earlier. Returns 1; 0 if the
 * index does not say; or -errno with a sentence. Moves the place. */
int index_durable(struct index_file *index, uint64_t sequence, int64_t *durable_ns);

/* Goes to the record or loss that is the last but count - 1, or to the first one: *found of them are there to be read.
 * Returns 1; 0 if it has none, or count is 0, with the index at its end; or -errno with a sentence. */
int index_last(struct index_file *index, uint64_t count, uint64_t *found);

/* The item to which index_find or index_last went, while nothing was taken since. */
const struct index_item *index_found(const struct index_file *index);

/* The lowest sequence that a record of the index may have. */
uint64_t index_first(const struct index_file *index);

const char *index_path(const struct index_file *index);

/* The index belongs to the file: the next search uses the table as it was read to find that out, and that read alone
 * counts as one of a search. */
void index_opened(struct index_file *index);

/* How many reads of the index were made. */
uint64_t index_reads(const struct index_file *index);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which record stands at which bytes of one log file or archive, as its indexes say, one index after the other.
 *
 * An index is believed as far as it is whole: its records follow each other in the text, and their sequences rise. The
 * rest of it is dropped at the first place where they do not.
 */
#ifndef BURST_READ_RECORDS_H
#define BURST_READ_RECORDS_H

#include "read/index_folder.h"

struct records;

/* A record, or a loss, which a line of the file tells. */
struct records_item {
    struct index_item item;
    int64_t durable_ns; /* the record was durable then, or earlier; 0: not known */
};

/* Finds the indexes of the file. Takes a copy of what is wanted. Returns 1 with *records, which the caller closes; 0 if the
 * file has none: index_folder_why; or -errno with a sentence. */
int records_open(struct index_folder *folder, const struct index_wanted *wanted, struct records **records);

void records_close(struct records *records);

/* Takes the next item that ends behind `offset`. Returns 1; 0 if no index has one by now; or -errno with a sentence. */
int records_next(struct records *records, uint64_t offset, struct records_item *item);

/* Goes to the first record that reaches the goal. Returns 1 with its place in the text; 0 if there is none: *offset is then
 * the end of the last one; or -errno with a sentence. */
int records_find(struct records *records, enum index_goal goal, int64_t value, uint64_t *offset);

/* Finds the place of the last record but `count` - 1 before `limit`, or of the first one that is known, and how many there
 * are from there on. Returns 0, or -errno with a sentence. */
int records_last(struct records *records, uint64_t limit, uint64_t count, uint64_t *offset, uint64_t *found);

/* The end of what the indexes have by now, and the beginning. */
int records_end(struct records *records, uint64_t *offset);

/* No record of the file has a lower sequence. */
uint64_t records_first(const struct records *records);

/* How many reads of indexes looked for a record. */
uint64_t records_reads(const struct records *records);

/* One sentence without its end: why an index is not believed. "": each is. */
const char *records_why(const struct records *records);

#endif

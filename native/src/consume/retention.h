/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the segments of a folder stay, and what is told of consumers that do not come.
 *
 * DESIGN. The process that has the log open looks at the folder now and then, in a thread of its own: at the names of its segments, and
 * at what each consumer has acknowledged. A segment goes by its name alone, the oldest first, and never the last one: the outlet
 * writes none that has a successor, and notes that before it makes the successor. So no deletion needs a note, and a crash leaves
 * some that go later. Their positions are made durable first, so that no consumer comes back to a segment that was deleted.
 *
 * With no consumer at all nothing is passed: the first one finds all that there is.
 */
#ifndef BURST_CONSUME_RETENTION_H
#define BURST_CONSUME_RETENTION_H

#include "base/events.h"
#include "consume/folder.h"

struct retention_limits {
    /* A segment that all have passed stays until both are over: so many bytes in those behind it, and its age. 0: at once. */
    uint64_t keep_bytes;
    int64_t keep_ns;
    /* One that is not passed is beyond the limit once it and those behind it have more bytes, or it is older. */
    uint64_t limit_bytes; /* UINT64_MAX: there is none */
    int64_t limit_ns;     /* INT64_MAX: the same */
    int releases;         /* beyond the limit it goes, passed or not */
};

struct retention;

/* Looks after the folder at this path, and tells `events` of it. NULL: there is no memory. */
struct retention *retention_create(const char *folder, const struct retention_limits *limits, struct events *events);

/* Looks once, deletes what is to go, and tells what has changed. */
void retention_look(struct retention *retention, int64_t now_ns);

/* NULL: nothing. */
void retention_destroy(struct retention *retention);

/* How many segments go, the oldest ones, if all below that number have been passed. */
size_t retention_count(const struct segment_list *list, uint64_t passed, const struct retention_limits *limits,
                       int64_t now_ns);

/* Whether a consumer whose next number is this one is behind by more than the limit; 0: it has acknowledged nothing. */
int retention_is_behind(const struct segment_list *list, uint64_t next_number, const struct retention_limits *limits,
                        int64_t now_ns);

#endif

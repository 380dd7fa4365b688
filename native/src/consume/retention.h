/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the segments of a folder stay, and the messages about consumers that are behind.
 *
 * DESIGN. The process that has the log open looks at the folder now and then, in a thread of its own: at the names of
 * its segments, and at the position of each consumer. It deletes a segment by its name alone, the oldest first, and
 * never the last one. The outlet writes no segment that has a successor, and notes that before it makes the successor.
 * So no deletion needs a note, and a crash only leaves some segments that go later. Before it deletes, the thread makes
 * the consumers' positions durable, so that no consumer comes back to a deleted segment.
 *
 * If there is no consumer at all, no segment counts as passed: the first consumer then finds all of them.
 */
#ifndef BURST_CONSUME_RETENTION_H
#define BURST_CONSUME_RETENTION_H

#include "base/events.h"
#include "consume/folder.h"

struct retention_limits {
    /* A segment that all consumers have passed stays until so many bytes are behind it, and until it is so old. 0: no
     * such minimum. */
    uint64_t keep_bytes;
    int64_t keep_ns;
    /* A segment that some consumer has not passed is beyond the limit once it and those behind it have more bytes, or
     * once it is older. */
    uint64_t limit_bytes; /* UINT64_MAX: no limit */
    int64_t limit_ns;     /* INT64_MAX: no limit */
    int releases;         /* delete a segment beyond the limit, passed or not */
};

struct retention;

/* Looks after the folder at this path, and tells `events` about it. Returns NULL without memory. */
struct retention *retention_create(const char *folder, const struct retention_limits *limits, struct events *events);

/* Looks once, deletes the segments that go, and tells what has changed. */
void retention_look(struct retention *retention, int64_t now_ns);

/* How far a consumer was at the last look. */
struct retention_consumer {
    char name[CONSUMER_NAME_BYTES];
    uint64_t segments_behind; /* whole segments that it has not passed */
    uint64_t bytes_behind;    /* their bytes */
};

/* Copies the consumers of the last look, at most `most`, in order of their names. Returns how many. Any thread may call
 * it, until retention_destroy. */
size_t retention_consumers(struct retention *retention, struct retention_consumer *consumers, size_t most);

/* NULL: does nothing. */
void retention_destroy(struct retention *retention);

/* How many of the oldest segments go, if all consumers have passed the numbers below `passed`. */
size_t retention_count(const struct segment_list *list, uint64_t passed, const struct retention_limits *limits,
                       int64_t now_ns);

/* Whether a consumer with this next number is behind by more than the limit. next_number 0: it has acknowledged
 * nothing. */
int retention_is_behind(const struct segment_list *list, uint64_t next_number, const struct retention_limits *limits,
                        int64_t now_ns);

#endif
